package dev.tutti.examples;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.util.Arrays;

/** Averages an array over all ranks: what data-parallel training does with its gradients. */
public final class Averaging {
  private Averaging() {}

  /** Leaves on every rank the average of what the ranks passed. */
  static void average(ProcessGroup group, float[] gradient) {
    group.allReduce(CommBuffer.of(gradient), ReduceOp.AVG).join();
  }

  /** Runs the example. */
  public static void main(String[] args) {
    try (ProcessGroup group = ProcessGroup.init("auto")) {
      float[] gradient = {group.rank(), 1, -group.rank()};
      average(group, gradient);
      System.out.println(Arrays.toString(gradient));
    }
  }
}
