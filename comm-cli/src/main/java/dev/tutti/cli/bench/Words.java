package dev.tutti.cli.bench;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.config.Nearest;
import dev.tutti.comm.internal.config.Quoted;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Types and operators as the command line writes them: in lower case. */
public final class Words {
  private Words() {}

  /**
   * Reads an element type.
   *
   * @param word for example {@code float32}
   * @throws ConfigException if there is no such type
   */
  public static DataType dataType(String word) {
    for (DataType type : DataType.values()) {
      if (word(type).equals(word.toLowerCase(Locale.ROOT))) {
        return type;
      }
    }
    throw unknown("type", word, dataTypes());
  }

  /**
   * Reads an operator.
   *
   * @param word for example {@code sum}
   * @throws ConfigException if there is no such operator
   */
  public static ReduceOp reduceOp(String word) {
    for (ReduceOp op : ReduceOp.all()) {
      if (word(op).equals(word.toLowerCase(Locale.ROOT))) {
        return op;
      }
    }
    throw unknown("operator", word, reduceOps());
  }

  /** Returns the words of all types. */
  public static List<String> dataTypes() {
    return Arrays.stream(DataType.values()).map(Words::word).toList();
  }

  /** Returns the words of all operators. */
  public static List<String> reduceOps() {
    return ReduceOp.all().stream().map(Words::word).toList();
  }

  /**
   * Returns a type's or an operator's word.
   *
   * @param named a {@link DataType} or {@link ReduceOp}
   */
  static String word(Object named) {
    return named.toString().toLowerCase(Locale.ROOT);
  }

  private static ConfigException unknown(String kind, String word, List<String> known) {
    return new ConfigException(
        "unknown " + kind + " " + Quoted.quote(word) + ". " + Nearest.hint(word, known));
  }
}
