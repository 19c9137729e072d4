/** The command {@code tutti}. */
@SuppressWarnings("requires-automatic") // HdrHistogram and XChart are no named modules yet
module dev.tutti.cli {
  requires HdrHistogram;
  requires dev.tutti.comm;
  requires dev.tutti.conformance;
  requires dev.tutti.tcp;
  requires info.picocli;
  requires java.desktop;
  requires java.management;
  requires jdk.management;
  requires me.tongfei.progressbar;
  requires org.knowm.xchart;
  requires static org.jspecify;

  opens dev.tutti.cli to
      info.picocli;
}
