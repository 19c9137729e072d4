package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import org.jspecify.annotations.Nullable;

/**
 * One thing to do, the same on all ranks of a group.
 *
 * @param index its number in the list
 * @param flight the cases of one flight, which follow each other, are issued before any of them is
 *     waited for; one that is waited for at once has a flight of its own
 * @param operation what is called
 * @param type the elements' type
 * @param op how they are combined; null where they are not
 * @param values what numbers they are
 * @param count the elements of a block: of the buffer, or of each rank's part of it
 * @param root the root, or 0 where there is none
 * @param inPlace whether the operation's in-place form is called
 * @param memory where the buffers lie
 * @param blocks how counts differ from rank to rank in an uneven operation
 * @param variant varies what is not worth a name: which rank holds the not-a-number, which block is
 *     empty
 */
public record Case(
    int index,
    int flight,
    OperationKind operation,
    DataType type,
    @Nullable ReduceOp op,
    Values values,
    long count,
    int root,
    boolean inPlace,
    Memory memory,
    Blocks blocks,
    int variant) {

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("case ").append(index).append(": ").append(operation.text());
    text.append(' ').append(type);
    if (op != null) {
      text.append(' ').append(op);
    }
    text.append(" count ").append(count);
    if (operation.isRooted()) {
      text.append(" root ").append(root);
    }
    if (operation.isUneven()) {
      text.append(" blocks ").append(blocks);
    }
    text.append(inPlace ? ", in place, " : ", ").append(memory).append(" memory, ").append(values);
    text.append(" values, variant ").append(variant);
    return index == flight ? text.toString() : text + ", in flight with others";
  }
}
