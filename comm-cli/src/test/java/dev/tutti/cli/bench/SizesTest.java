package dev.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import org.junit.jupiter.api.Test;

class SizesTest {
  @Test
  void aListIsTakenAsItIs() {
    assertThat(Sizes.parse("8, 1KiB,0,8", 2)).containsExactly(8L, 1024L, 0L, 8L);
  }

  @Test
  void aRangeGrowsByTheFactorAndHoldsBothEnds() {
    assertThat(Sizes.parse("8..64", 2)).containsExactly(8L, 16L, 32L, 64L);
    assertThat(Sizes.parse("8..100", 4)).containsExactly(8L, 32L, 100L);
    assertThat(Sizes.parse("8..8", 2)).containsExactly(8L);
    assertThat(Sizes.parse("1,8..64MiB", 8))
        .hasSize(10)
        .startsWith(1L, 8L, 64L)
        .endsWith(64L << 20);
  }

  @Test
  void aRangeEndsAlsoNearTheLargestNumber() {
    assertThat(Sizes.parse("1.." + Long.MAX_VALUE, 2)).hasSize(64).endsWith(Long.MAX_VALUE);
  }

  @Test
  void whatIsNoSizeIsRefused() {
    for (String text :
        new String[] {"", "8,", "x", "-8", "8...16", "..8", "0..8", "16..8", "1.5KiB"}) {
      assertThatThrownBy(() -> Sizes.parse(text, 2)).as(text).isInstanceOf(ConfigException.class);
    }
    assertThatThrownBy(() -> Sizes.parse("8..16", 1)).hasMessageContaining("--factor 1");
  }
}
