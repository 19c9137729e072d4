package dev.tutti.examples;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ProcessGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A parameter server: rank 0 holds the weights of a line y = a x + b; the other ranks pull them,
 * and push gradients for data that only they have, each at its own pace and for as long as it
 * likes.
 *
 * <p>A group's messages take their place in its queue, so with one group for all the server would
 * wait for its workers in turn. Here each worker shares a group of two with the server, and a
 * thread of the server serves it: groups are independent of each other.
 */
public final class ParameterServer {
  private static final int PULL = 0;
  private static final int PUSH = 1;
  private static final int DONE = 2;

  private static final int SERVER = 0;
  private static final int WORKER = 1;

  private static final int STEPS = 200;
  private static final int BATCH = 16;
  private static final float RATE = 0.1f;

  private ParameterServer() {}

  /** Returns the weights a and b: on the server those learned, on a worker those pulled last. */
  static float[] run(ProcessGroup group) throws InterruptedException, ExecutionException {
    if (group.size() < 2) {
      throw new IllegalArgumentException("one rank is the server; start at least 2 ranks, not 1");
    }
    List<ProcessGroup> pairs = new ArrayList<>();
    for (int worker = 1; worker < group.size(); worker++) {
      // Every rank calls split; who is in no pair passes a negative color.
      boolean member = group.rank() == 0 || group.rank() == worker;
      group.split(member ? 0 : -1, group.rank()).ifPresent(pairs::add);
    }
    try {
      if (group.rank() == 0) {
        return serve(pairs);
      }
      // The last worker has less to do, and leaves early.
      int steps = group.rank() == group.size() - 1 ? STEPS / 2 : STEPS;
      return work(pairs.getFirst(), steps, new Random(group.rank()));
    } finally {
      pairs.forEach(ProcessGroup::close);
    }
  }

  private static float[] serve(List<ProcessGroup> pairs)
      throws InterruptedException, ExecutionException {
    float[] weights = new float[2];
    List<Future<?>> served = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (ProcessGroup pair : pairs) {
        served.add(threads.submit(() -> serve(pair, weights)));
      }
    }
    for (Future<?> one : served) {
      // Throws if that worker's process died.
      one.get();
    }
    return weights;
  }

  private static void serve(ProcessGroup pair, float[] weights) {
    int[] request = new int[1];
    float[] gradient = new float[weights.length];
    while (true) {
      pair.recv(CommBuffer.of(request), WORKER).join();
      switch (request[0]) {
        case PULL -> {
          float[] snapshot;
          synchronized (weights) {
            snapshot = weights.clone();
          }
          pair.send(CommBuffer.of(snapshot), WORKER).join();
        }
        case PUSH -> {
          pair.recv(CommBuffer.of(gradient), WORKER).join();
          synchronized (weights) {
            for (int i = 0; i < weights.length; i++) {
              weights[i] -= RATE * gradient[i];
            }
          }
        }
        default -> {
          return;
        }
      }
    }
  }

  private static float[] work(ProcessGroup pair, int steps, Random data) {
    float[] weights = new float[2];
    for (int step = 0; step < steps; step++) {
      ask(pair, PULL);
      pair.recv(CommBuffer.of(weights), SERVER).join();
      float[] gradient = gradient(weights, data);
      ask(pair, PUSH);
      pair.send(CommBuffer.of(gradient), SERVER).join();
    }
    ask(pair, DONE);
    return weights;
  }

  private static void ask(ProcessGroup pair, int request) {
    pair.send(CommBuffer.of(new int[] {request}), SERVER).join();
  }

  /** Of the mean squared error, over some points of the line y = 3 x + 2 with noise. */
  private static float[] gradient(float[] weights, Random data) {
    float[] gradient = new float[2];
    for (int i = 0; i < BATCH; i++) {
      float x = data.nextFloat(-1, 1);
      float y = 3 * x + 2 + 0.1f * (float) data.nextGaussian();
      float error = weights[0] * x + weights[1] - y;
      gradient[0] += 2 * error * x / BATCH;
      gradient[1] += 2 * error / BATCH;
    }
    return gradient;
  }

  /** Runs the example, on at least two ranks. */
  public static void main(String[] args) throws InterruptedException, ExecutionException {
    try (ProcessGroup group = ProcessGroup.init("auto")) {
      float[] weights = run(group);
      if (group.rank() == 0) {
        System.out.printf(Locale.ROOT, "y = %.1f x + %.1f%n", weights[0], weights[1]);
      }
    }
  }
}
