package dev.tutti.conformance;

import java.util.List;

/**
 * What came of a launch.
 *
 * @param reports of the ranks that came to an end, in rank order
 * @param troubles what went wrong with the others, or around all
 */
record Launched(List<RankReport> reports, List<String> troubles) {
  Launched {
    reports = List.copyOf(reports);
    troubles = List.copyOf(troubles);
  }
}
