package dev.tutti.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.ConfigException;
import org.junit.jupiter.api.Test;

class RankCountsTest {
  @Test
  void listsAreTakenAsTheyAreAndRangesDouble() {
    assertThat(RankCounts.parse("2, 3,5,12")).containsExactly(2, 3, 5, 12);
    assertThat(RankCounts.parse("2..4096")).hasSize(12).startsWith(2, 4).endsWith(2048, 4096);
    assertThat(RankCounts.parse("1,3..20")).containsExactly(1, 3, 6, 12, 20);
    assertThat(RankCounts.parse("4..4")).containsExactly(4);
  }

  @Test
  void whatIsNoNumberOfRanksIsRefused() {
    for (String text :
        new String[] {"", "2,", "x", "-2", "0", "4097", "8..4", "2..", "..8", "1e3"}) {
      assertThatThrownBy(() -> RankCounts.parse(text))
          .as(text)
          .isInstanceOf(ConfigException.class)
          .hasMessageStartingWith("--ranks ");
    }
  }
}
