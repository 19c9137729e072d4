package dev.tutti.cli.bench;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a rank's process is told on its command line.
 *
 * @param port where the conductor listens, on the loopback address
 * @param backend which of the measured backends this is, counted from 0
 * @param config the config string of the group
 * @param threads how many ranks are threads of this process; 0 if the process is one rank
 * @param type the elements' type
 * @param op the operator of operations that reduce
 * @param root the root of operations that have one
 * @param bytes the size of each of the two buffers
 * @param heap whether they are Java arrays
 */
record RankSettings(
    int port,
    int backend,
    String config,
    int threads,
    DataType type,
    ReduceOp op,
    int root,
    long bytes,
    boolean heap) {

  /** The environment variable that holds the word by which the conductor knows its ranks. */
  static final String TOKEN = "TUTTI_BENCH_TOKEN";

  /** Returns the command line's arguments. */
  List<String> arguments() {
    return List.of(
        "port=" + port,
        "backend=" + backend,
        "config=" + config,
        "threads=" + threads,
        "type=" + type,
        "op=" + op,
        "root=" + root,
        "bytes=" + bytes,
        "heap=" + heap);
  }

  /** Reads {@link #arguments()}. */
  static RankSettings parse(String... arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    List<String> missing = new ArrayList<>();
    for (String name :
        List.of("port", "backend", "config", "threads", "type", "op", "root", "bytes", "heap")) {
      if (!values.containsKey(name)) {
        missing.add(name);
      }
    }
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException("a rank of tutti bench was not told " + missing);
    }
    return new RankSettings(
        Integer.parseInt(value(values, "port")),
        Integer.parseInt(value(values, "backend")),
        value(values, "config"),
        Integer.parseInt(value(values, "threads")),
        DataType.valueOf(value(values, "type")),
        Words.reduceOp(value(values, "op")),
        Integer.parseInt(value(values, "root")),
        Long.parseLong(value(values, "bytes")),
        Boolean.parseBoolean(value(values, "heap")));
  }

  private static String value(Map<String, String> values, String name) {
    return Objects.requireNonNull(values.get(name));
  }
}
