package dev.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.cli.bench.Line.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineTest {
  @Test
  void aLineIsFoundAgain() {
    List<Sample> samples =
        List.of(new Sample(8, 5 + 8 * 0.001), new Sample(1000, 6), new Sample(1_000_000, 1005));
    Line line = Line.through(samples);
    assertThat(line.fixed()).isCloseTo(5, within(1e-9));
    assertThat(line.perByte()).isCloseTo(0.001, within(1e-12));
    assertThat(line.residual(samples)).isCloseTo(0, within(1e-9));
  }

  /** A tenth more at 8 bytes weighs as much as a tenth more at a megabyte. */
  @Test
  void errorsCountInProportion() {
    List<Sample> samples =
        List.of(
            new Sample(8, 5.5),
            new Sample(8, 4.5),
            new Sample(1_000_000, 900),
            new Sample(1_000_000, 1100));
    Line line = Line.through(samples);
    assertThat(line.fixed()).isBetween(4.5, 5.5);
    assertThat(line.micros(1_000_000)).isBetween(900.0, 1100.0);
    assertThat(line.residual(samples)).isCloseTo(0.1, within(0.02));
  }

  @Test
  void whatIsNoLineIsRefused() {
    assertThatThrownBy(() -> Line.through(List.of(new Sample(8, 100), new Sample(1000, 50))))
        .isInstanceOf(BenchFailedException.class)
        .hasMessageContaining("the machine is too busy, try again");
  }
}
