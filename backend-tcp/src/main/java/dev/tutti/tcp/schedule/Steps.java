package dev.tutti.tcp.schedule;

import java.util.Arrays;

/**
 * The steps of a schedule, one array a property; a {@link ScheduleBuilder} fills them, then nobody
 * writes them any more. The arrays may be longer than there are steps.
 */
final class Steps {
  int count;
  StepKind[] kind = new StepKind[8];
  int[] peer = new int[8];
  int[] srcBuffer = new int[8];
  long[] srcOffset = new long[8];
  int[] src2Buffer = new int[8];
  long[] src2Offset = new long[8];
  int[] dstBuffer = new int[8];
  long[] dstOffset = new long[8];

  /** Where a FOLD's sources begin in the two arrays below: one region for each rank. */
  int[] foldStart = new int[8];

  int folds;
  int[] foldBuffer = new int[8];
  long[] foldOffset = new long[8];

  /** Elements of every region of the step. */
  long[] length = new long[8];

  /**
   * Step i waits for {@code dependency[dependencyStart[i]]} to {@code dependencyStart[i + 1]} - 1.
   */
  int[] dependencyStart = new int[9];

  int[] dependency = new int[8];

  /** Makes room for one step more. */
  void reserve() {
    if (count < kind.length) {
      return;
    }
    int room = 2 * count;
    kind = Arrays.copyOf(kind, room);
    peer = Arrays.copyOf(peer, room);
    srcBuffer = Arrays.copyOf(srcBuffer, room);
    srcOffset = Arrays.copyOf(srcOffset, room);
    src2Buffer = Arrays.copyOf(src2Buffer, room);
    src2Offset = Arrays.copyOf(src2Offset, room);
    foldStart = Arrays.copyOf(foldStart, room);
    dstBuffer = Arrays.copyOf(dstBuffer, room);
    dstOffset = Arrays.copyOf(dstOffset, room);
    length = Arrays.copyOf(length, room);
    dependencyStart = Arrays.copyOf(dependencyStart, room + 1);
  }

  /** Adds a source to those of the FOLD that comes next. */
  void addFoldSource(int buffer, long offset) {
    if (folds == foldBuffer.length) {
      foldBuffer = Arrays.copyOf(foldBuffer, 2 * folds);
      foldOffset = Arrays.copyOf(foldOffset, 2 * folds);
    }
    foldBuffer[folds] = buffer;
    foldOffset[folds++] = offset;
  }

  /** Returns a copy that shares nothing. */
  Steps copy() {
    Steps copy = new Steps();
    copy.count = count;
    copy.kind = kind.clone();
    copy.peer = peer.clone();
    copy.srcBuffer = srcBuffer.clone();
    copy.srcOffset = srcOffset.clone();
    copy.src2Buffer = src2Buffer.clone();
    copy.src2Offset = src2Offset.clone();
    copy.foldStart = foldStart.clone();
    copy.folds = folds;
    copy.foldBuffer = foldBuffer.clone();
    copy.foldOffset = foldOffset.clone();
    copy.dstBuffer = dstBuffer.clone();
    copy.dstOffset = dstOffset.clone();
    copy.length = length.clone();
    copy.dependencyStart = dependencyStart.clone();
    copy.dependency = dependency.clone();
    return copy;
  }
}
