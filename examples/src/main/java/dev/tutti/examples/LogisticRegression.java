package dev.tutti.examples;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/**
 * Data-parallel logistic regression: each rank computes the gradient of its share of the samples,
 * all apply the sum. Two ways to sum, both of which give the same weights bit for bit on every
 * backend, run after run, wherever the ranks are:
 *
 * <ul>
 *   <li><b>ranks</b>: allReduce with {@code order=ranked}, which adds in rank order. Another number
 *       of ranks cuts the sum elsewhere, and rounds otherwise.
 *   <li><b>shards</b>: the samples lie in four shards whatever the number of ranks; each shard's
 *       gradient is gathered, and every rank adds them in shard order. The weights are the same for
 *       1, 2 and 4 ranks, at the price of moving every shard's gradient.
 * </ul>
 */
public final class LogisticRegression {
  private static final int SAMPLES = 4096;
  private static final int FEATURES = 16;
  private static final int SHARDS = 4;
  private static final int EPOCHS = 60;
  private static final float RATE = 1;

  /** How gradients are summed. */
  enum Mode {
    RANKS,
    SHARDS
  }

  /**
   * What came of it, the same on all ranks.
   *
   * @param digest stands for the bits of all weights
   * @param loss mean cross entropy over all samples
   * @param accuracy share of the samples that are told right
   */
  record Result(String digest, double loss, double accuracy) {}

  // Row by row; the same on every rank, which reads its share only.
  private final float[] samples = new float[SAMPLES * FEATURES];
  private final float[] labels = new float[SAMPLES];
  private final float[] weights = new float[FEATURES];

  private LogisticRegression() {
    // Two clouds that overlap. Random and StrictMath give the same numbers on every machine.
    Random random = new Random(7);
    for (int s = 0; s < SAMPLES; s++) {
      labels[s] = s % 2;
      for (int f = 0; f < FEATURES; f++) {
        float center = (s % 2 == 0 ? -1f : 1f) * (f + 1) / FEATURES * 0.6f;
        samples[s * FEATURES + f] = center + (float) random.nextGaussian();
      }
    }
  }

  /** Trains on all ranks. */
  static Result train(ProcessGroup group, Mode mode) {
    LogisticRegression model = new LogisticRegression();
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
      float[] gradient = mode == Mode.RANKS ? model.overRanks(group) : model.overShards(group);
      for (int f = 0; f < FEATURES; f++) {
        model.weights[f] -= RATE * gradient[f] / SAMPLES;
      }
    }
    return model.evaluate(group);
  }

  private float[] overRanks(ProcessGroup group) {
    float[] gradient = new float[FEATURES];
    addGradient(gradient, 0, first(group.rank(), group), first(group.rank() + 1, group));
    group.allReduce(CommBuffer.of(gradient), ReduceOp.SUM).join();
    return gradient;
  }

  private float[] overShards(ProcessGroup group) {
    if (SHARDS % group.size() != 0) {
      throw new IllegalArgumentException(
          "%d shards cannot be dealt evenly to %d ranks".formatted(SHARDS, group.size()));
    }
    float[] mine = new float[SHARDS / group.size() * FEATURES];
    for (int i = 0; i < mine.length / FEATURES; i++) {
      int shard = group.rank() * (SHARDS / group.size()) + i;
      int size = SAMPLES / SHARDS;
      addGradient(mine, i * FEATURES, shard * size, (shard + 1) * size);
    }
    float[] all = new float[SHARDS * FEATURES];
    group.allGather(CommBuffer.of(mine), CommBuffer.of(all)).join();
    float[] gradient = new float[FEATURES];
    for (int i = 0; i < all.length; i++) {
      gradient[i % FEATURES] += all[i];
    }
    return gradient;
  }

  /** The first sample of a rank. */
  private static int first(int rank, ProcessGroup group) {
    return (int) ((long) SAMPLES * rank / group.size());
  }

  private void addGradient(float[] gradient, int offset, int from, int to) {
    for (int s = from; s < to; s++) {
      float error = probability(s) - labels[s];
      for (int f = 0; f < FEATURES; f++) {
        gradient[offset + f] += error * samples[s * FEATURES + f];
      }
    }
  }

  private float probability(int sample) {
    float sum = 0;
    for (int f = 0; f < FEATURES; f++) {
      sum += weights[f] * samples[sample * FEATURES + f];
    }
    return (float) (1 / (1 + StrictMath.exp(-sum)));
  }

  private Result evaluate(ProcessGroup group) {
    double[] lossAndRight = new double[2];
    for (int s = first(group.rank(), group); s < first(group.rank() + 1, group); s++) {
      float probability = probability(s);
      lossAndRight[0] -= StrictMath.log(labels[s] == 1 ? probability : 1 - probability);
      lossAndRight[1] += (probability > 0.5) == (labels[s] == 1) ? 1 : 0;
    }
    group.allReduce(CommBuffer.of(lossAndRight), ReduceOp.SUM).join();
    String digest = "%08x".formatted(Arrays.hashCode(weights));
    return new Result(digest, lossAndRight[0] / SAMPLES, lossAndRight[1] / SAMPLES);
  }

  /**
   * Runs the example.
   *
   * @param args {@code ranks} (the default) or {@code shards}, then a config string, by default
   *     {@code auto?order=ranked}
   */
  public static void main(String[] args) {
    Mode mode = args.length > 0 ? Mode.valueOf(args[0].toUpperCase(Locale.ROOT)) : Mode.RANKS;
    String config = args.length > 1 ? args[1] : "auto?order=ranked";
    try (ProcessGroup group = ProcessGroup.init(config)) {
      Result result = train(group, mode);
      if (group.rank() == 0) {
        System.out.printf(
            Locale.ROOT,
            "%s: loss %.4f, accuracy %.1f%%, weights %s%n",
            mode,
            result.loss(),
            100 * result.accuracy(),
            result.digest());
      }
    }
  }
}
