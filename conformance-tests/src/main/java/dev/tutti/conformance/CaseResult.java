package dev.tutti.conformance;

/**
 * How a case ended on one rank.
 *
 * @param index the case's number
 * @param outcome how it ended
 * @param digest of the results, where it passed
 * @param detail why it did not pass, else empty
 */
public record CaseResult(int index, Outcome outcome, long digest, String detail) {}
