package dev.tutti.examples;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A model of four layers, split over the ranks: pipeline parallelism, and data parallelism beside
 * it if there are more ranks than stages. Stages hand activations on and gradients back in
 * microbatches, so that all are busy at the same time; the same stages of different replicas
 * average their gradients.
 *
 * <p>The order in which a stage runs microbatches forward and backward is "one forward, one
 * backward" of PipeDream-Flush (Narayanan et al. 2021): it holds at most as many microbatches as
 * there are stages from it to the end.
 */
public final class Pipeline {
  private static final int LAYERS = 4;
  private static final int WIDTH = 8;
  private static final int SAMPLES = 16;
  private static final int MICROBATCHES = 8;
  private static final int STEPS = 20;
  private static final float RATE = 0.1f;

  /** What the model has to find, in four layers: one matrix. */
  private static final float[] TRUTH = nearIdentity(new Random(42), 0.2f);

  private final ProcessGroup pipeline;
  private final int replica;
  private final int replicas;
  private final int stage;
  private final int stages;
  private final List<Layer> layers = new ArrayList<>();
  private double loss;

  private Pipeline(ProcessGroup pipeline, int replica, int replicas) {
    this.pipeline = pipeline;
    this.replica = replica;
    this.replicas = replicas;
    this.stage = pipeline.rank();
    this.stages = pipeline.size();
    for (int number = 0; number < LAYERS / stages; number++) {
      layers.add(new Layer(stage * (LAYERS / stages) + number));
    }
  }

  /** Trains on all ranks; returns the loss after each step, the same on every rank. */
  static float[] train(ProcessGroup group, int stages) {
    if (LAYERS % stages != 0 || group.size() % stages != 0) {
      throw new IllegalArgumentException(
          "%d stages: must divide the %d layers and the %d ranks"
              .formatted(stages, LAYERS, group.size()));
    }
    int replica = group.rank() / stages;
    int stage = group.rank() % stages;
    float[] losses = new float[STEPS];
    try (ProcessGroup pipeline = group.split(replica, stage).orElseThrow();
        ProcessGroup peers = group.split(stage, replica).orElseThrow()) {
      Pipeline model = new Pipeline(pipeline, replica, peers.size());
      for (int step = 0; step < STEPS; step++) {
        model.run(step);
        for (Layer layer : model.layers) {
          peers.allReduce(CommBuffer.of(layer.gradient), ReduceOp.AVG).join();
          layer.update();
        }
        CommBuffer loss = CommBuffer.of(losses).slice(step, 1);
        if (stage == stages - 1) {
          losses[step] = (float) model.loss;
          peers.allReduce(loss, ReduceOp.AVG).join();
        }
        // The first replica's last stage tells all.
        group.broadcast(loss, stages - 1).join();
      }
    }
    return losses;
  }

  /** Runs all microbatches of a step forward and backward; leaves the gradients in the layers. */
  private void run(int step) {
    loss = 0;
    int count = MICROBATCHES / replicas;
    int ahead = Math.min(stages - 1 - stage, count);
    for (int m = 0; m < ahead; m++) {
      send(forward(input(step, m)), stage + 1);
    }
    float[] input = ahead < count ? input(step, ahead) : new float[0];
    for (int m = ahead; m < count; m++) {
      float[] output = forward(input);
      boolean end = stage == stages - 1;
      float[] back = backward(end ? lossGradient(step, m, output) : swap(output, stage + 1));
      if (stage == 0) {
        input = input(step, m + 1);
      } else if (m + 1 < count) {
        input = swap(back, stage - 1);
      } else {
        send(back, stage - 1);
      }
    }
    for (int m = 0; m < ahead; m++) {
      float[] back = backward(receive(stage + 1));
      if (stage > 0) {
        send(back, stage - 1);
      }
    }
  }

  private float[] input(int step, int microbatch) {
    return stage == 0 ? samples(step, microbatch) : receive(stage - 1);
  }

  private void send(float[] block, int neighbour) {
    pipeline.send(CommBuffer.of(block), neighbour).join();
  }

  private float[] receive(int neighbour) {
    float[] block = new float[SAMPLES * WIDTH];
    pipeline.recv(CommBuffer.of(block), neighbour).join();
    return block;
  }

  /** The neighbour sends at the same time: two messages that cross belong into one batch. */
  private float[] swap(float[] block, int neighbour) {
    float[] other = new float[SAMPLES * WIDTH];
    pipeline
        .batch(b -> b.send(CommBuffer.of(block), neighbour).recv(CommBuffer.of(other), neighbour))
        .join();
    return other;
  }

  private float[] forward(float[] input) {
    float[] block = input;
    for (Layer layer : layers) {
      block = layer.forward(block);
    }
    return block;
  }

  private float[] backward(float[] gradient) {
    float[] block = gradient;
    for (Layer layer : layers.reversed()) {
      block = layer.backward(block);
    }
    return block;
  }

  /** Made from their number alone, so that the first stage and the last see the same ones. */
  private float[] samples(int step, int microbatch) {
    int number = (step * replicas + replica) * (MICROBATCHES / replicas) + microbatch;
    return gaussian(new Random(number), SAMPLES * WIDTH, 1);
  }

  /** Of half the mean squared distance to what {@link #TRUTH} makes of the samples. */
  private float[] lossGradient(int step, int microbatch, float[] output) {
    float[] wanted = times(TRUTH, samples(step, microbatch));
    int all = SAMPLES * (MICROBATCHES / replicas);
    float[] gradient = new float[output.length];
    for (int i = 0; i < output.length; i++) {
      gradient[i] = (output[i] - wanted[i]) / all;
      loss += 0.5 * gradient[i] * (output[i] - wanted[i]);
    }
    return gradient;
  }

  /** y = W x for each sample x. */
  private static final class Layer {
    final float[] weights;
    final float[] gradient = new float[WIDTH * WIDTH];
    // Of the microbatches that went forward and have yet to come back.
    private final Deque<float[]> inputs = new ArrayDeque<>();

    Layer(int number) {
      weights = nearIdentity(new Random(number), 0.02f);
    }

    float[] forward(float[] input) {
      inputs.add(input);
      return times(weights, input);
    }

    float[] backward(float[] outputGradient) {
      float[] input = inputs.remove();
      float[] inputGradient = new float[input.length];
      for (int s = 0; s < input.length; s += WIDTH) {
        for (int i = 0; i < WIDTH; i++) {
          for (int j = 0; j < WIDTH; j++) {
            gradient[i * WIDTH + j] += outputGradient[s + i] * input[s + j];
            inputGradient[s + j] += outputGradient[s + i] * weights[i * WIDTH + j];
          }
        }
      }
      return inputGradient;
    }

    void update() {
      for (int i = 0; i < weights.length; i++) {
        weights[i] -= RATE * gradient[i];
        gradient[i] = 0;
      }
    }
  }

  private static float[] times(float[] matrix, float[] samples) {
    float[] result = new float[samples.length];
    for (int s = 0; s < samples.length; s += WIDTH) {
      for (int i = 0; i < WIDTH; i++) {
        for (int j = 0; j < WIDTH; j++) {
          result[s + i] += matrix[i * WIDTH + j] * samples[s + j];
        }
      }
    }
    return result;
  }

  private static float[] nearIdentity(Random random, float spread) {
    float[] matrix = gaussian(random, WIDTH * WIDTH, spread);
    for (int i = 0; i < WIDTH; i++) {
      matrix[i * WIDTH + i] += 1;
    }
    return matrix;
  }

  private static float[] gaussian(Random random, int count, float spread) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = spread * (float) random.nextGaussian();
    }
    return values;
  }

  /**
   * Runs the example.
   *
   * @param args how many stages; without it 4, or as many as there are ranks if those are fewer
   */
  public static void main(String[] args) {
    try (ProcessGroup group = ProcessGroup.init("auto")) {
      int stages = args.length > 0 ? Integer.parseInt(args[0]) : Math.min(LAYERS, group.size());
      float[] losses = train(group, stages);
      if (group.rank() == 0) {
        System.out.printf(
            Locale.ROOT,
            "%d stages x %d replicas: loss %.5f, after %d steps %.5f%n",
            stages,
            group.size() / stages,
            losses[0],
            STEPS - 1,
            losses[STEPS - 1]);
      }
    }
  }
}
