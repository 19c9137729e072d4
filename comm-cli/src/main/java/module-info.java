/** The command {@code tutti}. */
@SuppressWarnings("requires-automatic") // HdrHistogram is no named module yet
module dev.tutti.cli {
  requires HdrHistogram;
  requires dev.tutti.comm;
  requires dev.tutti.conformance;
  requires info.picocli;
  requires java.management;
  requires jdk.management;
  requires me.tongfei.progressbar;
  requires static org.jspecify;

  opens dev.tutti.cli to
      info.picocli;
}
