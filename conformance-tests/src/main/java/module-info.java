/** The conformance suite, and the JUnit 5 extension for tests without a cluster. */
module dev.tutti.conformance {
  requires java.management;
  requires transitive dev.tutti.comm;
  requires static transitive org.jspecify;
  requires static org.junit.jupiter.api;

  exports dev.tutti.conformance;
  exports dev.tutti.junit;
}
