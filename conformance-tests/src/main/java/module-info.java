/** The conformance suite. */
module dev.tutti.conformance {
  requires transitive dev.tutti.comm;
  requires static transitive org.jspecify;

  exports dev.tutti.conformance;
}
