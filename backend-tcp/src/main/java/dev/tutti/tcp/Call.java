package dev.tutti.tcp;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Operation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What both ends of a message must have called: the fingerprint in its header. Written with fixed
 * numbers, never with an enum's ordinal.
 *
 * @param code operation, type and operator, a byte each
 * @param root the root, or -1
 * @param count the count that both ends know, or -1 where the message's length alone is shared
 */
record Call(int code, int root, long count) {
  private static final List<String> OPERATIONS =
      List.of(
          "",
          "allReduce",
          "reduce",
          "broadcast",
          "allGather",
          "allGatherV",
          "reduceScatter",
          "reduceScatterV",
          "gather",
          "gatherV",
          "scatter",
          "scatterV",
          "allToAll",
          "allToAllV",
          "send or recv",
          "barrier");
  private static final List<String> TYPES =
      List.of(
          "",
          "INT8",
          "UINT8",
          "INT32",
          "UINT32",
          "INT64",
          "UINT64",
          "FLOAT16",
          "BFLOAT16",
          "FLOAT32",
          "FLOAT64");
  private static final List<String> OPERATORS =
      List.of("", "SUM", "PROD", "MIN", "MAX", "AVG", "BAND", "BOR", "BXOR");

  /** Returns the fingerprint of a collective as this rank called it. */
  static Call of(Operation operation) {
    return switch (operation) {
      case Operation.AllReduce o -> of(o, o.send(), o.send().count());
      case Operation.Reduce o -> of(o, o.send(), o.send().count());
      case Operation.Broadcast o -> of(o, o.buffer(), o.buffer().count());
      case Operation.AllGather o -> of(o, o.send(), o.send().count());
      case Operation.AllGatherV o -> of(o, o.recv(), o.counts().total());
      case Operation.ReduceScatter o -> of(o, o.recv(), o.recv().count());
      case Operation.ReduceScatterV o -> of(o, o.send(), o.counts().total());
      case Operation.Gather o -> of(o, o.send(), o.send().count());
      case Operation.GatherV o -> of(o, o.send(), -1);
      case Operation.Scatter o -> of(o, o.recv(), o.recv().count());
      case Operation.ScatterV o -> of(o, o.recv(), -1);
      case Operation.AllToAll o -> of(o, o.send(), o.send().count());
      case Operation.AllToAllV o -> of(o, o.send(), -1);
      case Operation.Barrier o -> of(o, null, -1);
      case Operation.Send o -> transfer(o.buffer());
      case Operation.Recv o -> transfer(o.buffer());
      case Operation.SendRecv o -> transfer(o.send());
      case Operation.Batch o -> new Call(OPERATIONS.indexOf("send or recv") << 16, -1, -1);
    };
  }

  /** Returns the fingerprint of one transfer of a batch. */
  static Call transfer(CommBuffer buffer) {
    return new Call(
        OPERATIONS.indexOf("send or recv") << 16 | TYPES.indexOf(buffer.type().name()) << 8,
        -1,
        buffer.count());
  }

  private static Call of(Operation operation, @Nullable CommBuffer buffer, long count) {
    int name = OPERATIONS.indexOf(operation.name());
    int type = buffer == null ? 0 : TYPES.indexOf(buffer.type().name());
    ReduceOp op = operation.reduceOp();
    int operator = op == null ? 0 : OPERATORS.indexOf(op.kind().name());
    if (name < 0 || type < 0 || operator < 0) {
      throw new IllegalStateException("no number in frames for " + operation.describe());
    }
    return new Call(name << 16 | type << 8 | operator, operation.rootRank(), count);
  }

  /** Returns whether a type has a number in frames. */
  static boolean knows(DataType type) {
    return TYPES.contains(type.name());
  }

  /** Returns the call for messages, such as {@code allReduce(8 FLOAT32, SUM)}. */
  String describe() {
    StringBuilder text = new StringBuilder(name(OPERATIONS, code >> 16 & 0xff)).append('(');
    String type = name(TYPES, code >> 8 & 0xff);
    if (!type.isEmpty()) {
      text.append(count < 0 ? "" : count + " ").append(type);
    }
    String operator = name(OPERATORS, code & 0xff);
    if (!operator.isEmpty()) {
      text.append(", ").append(operator);
    }
    if (root >= 0) {
      text.append(", root ").append(root);
    }
    return text.append(')').toString();
  }

  private static String name(List<String> names, int number) {
    return number < names.size() ? names.get(number) : "unknown " + number;
  }
}
