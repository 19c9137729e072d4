package dev.tutti.cli.faulty;

import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.Operation;
import dev.tutti.tcp.TcpBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The backend {@code tcp} with a fault of one's choice in its allReduce: what the command does then
 * must be seen.
 */
public final class FaultyBackend implements BackendProvider {
  /** Set to a reason, this backend cannot be had. */
  public static final String UNAVAILABLE = "FAULTY_UNAVAILABLE";

  /** The exit code of a rank that dies. */
  public static final int DEAD = 9;

  private final TcpBackend tcp = new TcpBackend();

  @Override
  public String name() {
    return "faulty";
  }

  @Override
  public int priority() {
    return 0;
  }

  @Override
  public Availability availability() {
    String reason = System.getenv(UNAVAILABLE);
    return reason == null ? Availability.yes() : Availability.no(reason, "do without it");
  }

  @Override
  public Set<String> devices() {
    return tcp.devices();
  }

  @Override
  public List<Key> keys() {
    List<Key> keys = new ArrayList<>(tcp.keys());
    keys.add(
        new Key("fault", Type.CHOICE, "wrong", List.of("wrong", "refuse", "die"), "what is wrong"));
    return keys;
  }

  @Override
  public Placement placement() {
    return tcp.placement();
  }

  @Override
  public Communicator connect(Context context) {
    Communicator right = tcp.connect(context);
    String fault = context.options().text("fault");
    return (Communicator)
        Proxy.newProxyInstance(
            Communicator.class.getClassLoader(),
            new Class<?>[] {Communicator.class},
            (proxy, method, arguments) -> {
              if (fault.equals("refuse")
                  && method.getName().equals("supports")
                  && arguments[0] instanceof Operation.Broadcast) {
                return Availability.no("it has no broadcast", null);
              }
              if (arguments != null && arguments[0] instanceof Operation.AllReduce call) {
                switch (fault) {
                  case "wrong" -> {
                    if (call.op().equals(ReduceOp.SUM)) {
                      arguments[0] =
                          new Operation.AllReduce(call.send(), call.recv(), ReduceOp.MAX);
                    }
                  }
                  case "refuse" -> {
                    // A reduction would be folded from what the backend has.
                  }
                  default -> {
                    if (context.rank() == 1 && method.getName().equals("enqueue")) {
                      Runtime.getRuntime().halt(DEAD);
                    }
                  }
                }
              }
              return invoked(method, right, arguments);
            });
  }

  private static Object invoked(Method method, Communicator target, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
