package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaseListTest {
  @Test
  void theSameSeedMakesTheSameList() {
    assertThat(CaseList.of(1, 3).cases()).isEqualTo(CaseList.of(1, 3).cases());
    assertThat(CaseList.of(2, 3).cases()).isNotEqualTo(CaseList.of(1, 3).cases());
    assertThat(CaseList.of(2, 3).cases()).hasSameSizeAs(CaseList.of(1, 3).cases());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void nothingIsLeftOut(int size) {
    List<Case> cases = CaseList.of(1, size).cases();
    Set<List<Object>> seen = new HashSet<>();
    for (Case spec : cases) {
      Object op = spec.op() == null ? "-" : spec.op();
      seen.add(List.of(spec.operation(), spec.type(), op, spec.count(), spec.inPlace()));
    }
    for (OperationKind kind : OperationKind.values()) {
      for (DataType type : DataType.values()) {
        for (ReduceOp op : ReduceOp.all()) {
          for (long count : new long[] {0, 1, 39, size + 1}) {
            if (kind == OperationKind.BARRIER || (kind.isReducing() && !op.supports(type))) {
              continue;
            }
            Object combined = kind.isReducing() ? op : "-";
            assertThat(seen).contains(List.of(kind, type, combined, count, false));
            if (kind.hasInPlaceForm()) {
              assertThat(seen).contains(List.of(kind, type, combined, count, true));
            }
          }
        }
      }
    }
  }

  /** Every two things that a case may vary meet, wherever they can. */
  @Test
  void theArrayIsPairwise() {
    Set<List<Integer>> possible = new HashSet<>();
    Set<List<Integer>> met = new HashSet<>();
    CaseArray.walk(
        1,
        (allowed, row) -> {
          for (int one = 0; one < row.length; one++) {
            for (int other = 0; other < one; other++) {
              met.add(List.of(one, row[one], other, row[other]));
              for (int level : allowed[one]) {
                for (int otherLevel : allowed[other]) {
                  possible.add(List.of(one, level, other, otherLevel));
                }
              }
            }
          }
        });
    assertThat(possible).hasSizeGreaterThan(5000);
    assertThat(met).isEqualTo(possible);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void everyRankIsRootOfEverything(int size) {
    for (OperationKind kind : OperationKind.values()) {
      Set<Integer> roots =
          CaseList.of(1, size).cases().stream()
              .filter(spec -> spec.operation() == kind)
              .map(Case::root)
              .collect(Collectors.toSet());
      assertThat(roots).hasSize(kind.isRooted() ? size : 1);
    }
  }

  @Test
  void everyKindOfMemoryAndOfBlocksIsUsedByEveryOperation() {
    for (OperationKind kind : OperationKind.values()) {
      if (kind == OperationKind.BARRIER) {
        continue;
      }
      List<Case> mine =
          CaseList.of(1, 3).cases().stream().filter(spec -> spec.operation() == kind).toList();
      assertThat(mine.stream().map(Case::memory).collect(Collectors.toSet()))
          .containsExactlyInAnyOrder(Memory.values());
      if (kind.isUneven()) {
        assertThat(mine.stream().map(Case::blocks).collect(Collectors.toSet()))
            .containsExactlyInAnyOrder(Blocks.values());
      }
      assertThat(mine.stream().mapToLong(Case::count).max().orElseThrow()).isGreaterThan(20_000);
    }
  }

  @Test
  void numbersArePlaces() {
    List<Case> cases = CaseList.of(1, 2).cases();
    for (int i = 0; i < cases.size(); i++) {
      assertThat(cases.get(i).index()).isEqualTo(i);
    }
    assertThat(CaseList.of(1, 2).only(17).cases()).containsExactly(cases.get(17));
    assertThatThrownBy(() -> CaseList.of(1, 2).only(1_000_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there is no case 1000000");
  }
}
