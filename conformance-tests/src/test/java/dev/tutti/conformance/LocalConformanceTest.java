package dev.tutti.conformance;

class LocalConformanceTest extends BackendConformanceTest {
  @Override
  String backend() {
    return "local";
  }
}
