package dev.tutti.comm.internal.layers;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The flight recorder's event for one operation, from its issue to its end. */
@Name("tutti.Operation")
@Label("Collective operation")
@Category("Tutti")
@Description("One operation of a process group, from its issue to its end")
@StackTrace(false)
final class OperationEvent extends Event {
  @Label("Group")
  String group = "";

  @Label("Rank")
  int rank;

  @Label("Sequence")
  long sequence;

  @Label("Operation")
  String operation = "";

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Algorithm")
  String algorithm = "";

  @Label("Outcome")
  String outcome = "";
}
