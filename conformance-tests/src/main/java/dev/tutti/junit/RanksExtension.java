package dev.tutti.junit;

import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;
import static org.junit.platform.commons.support.AnnotationSupport.isAnnotated;

import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.internal.config.Units;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Runs what {@link Ranks} annotates: in place of JUnit's one call of the method, one a rank. Tests
 * register it by that annotation.
 */
@SuppressWarnings("exports") // as for Ranks
public final class RanksExtension
    implements TestTemplateInvocationContextProvider, ParameterResolver, InvocationInterceptor {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(RanksExtension.class);

  /** For JUnit, which makes one for each test class or method. */
  public RanksExtension() {}

  /** Leaves invocations to {@code @ParameterizedTest} and its like where they are there too. */
  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return Arrays.stream(context.getRequiredTestMethod().getAnnotations())
        .map(Annotation::annotationType)
        .noneMatch(
            type ->
                type != TestTemplate.class
                    && type != Ranks.class
                    && isAnnotated(type, TestTemplate.class)
                    && !isAnnotated(type, Ranks.class));
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    // A method with @Test as well is a test of its own already.
    return isAnnotated(context.getRequiredTestMethod(), Test.class)
        ? Stream.empty()
        : runs(context).stream().map(OneRun::new);
  }

  @Override
  public boolean mayReturnZeroTestTemplateInvocationContexts(ExtensionContext context) {
    return isAnnotated(context.getRequiredTestMethod(), Test.class);
  }

  private record OneRun(RankRun run) implements TestTemplateInvocationContext {
    @Override
    public String getDisplayName(int invocationIndex) {
      return run.toString();
    }

    @Override
    public void prepareInvocation(ExtensionContext context) {
      context.getStore(NAMESPACE).put(RankRun.class, run);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == ProcessGroup.class;
  }

  /** Returns null, in whose place each rank's group is put when its thread calls the method. */
  @Override
  @SuppressWarnings("NullAway") // allowed for parameters that are no primitives
  public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (parameter.getDeclaringExecutable() instanceof Method method
        && context.getTestMethod().equals(Optional.of(method))) {
      return null;
    }
    throw new ParameterResolutionException(
        "%s asks for a ProcessGroup, but is called once for all ranks; take the group as a parameter of the test method"
            .formatted(parameter.getDeclaringExecutable()));
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, method, context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, method, context);
  }

  /** Refuses those that ask for a group: their tests run when it would be closed already. */
  @Override
  public <T> T interceptTestFactoryMethod(
      Invocation<T> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    if (takesGroup(method)) {
      invocation.skip();
      throw new ExtensionConfigurationException(
          "@Ranks: %s is a @TestFactory, which no group can be given to; make it a @ParameterizedTest, or call LocalRanks.run in the tests that it makes"
              .formatted(method.getExecutable()));
    }
    return invocation.proceed();
  }

  private static boolean takesGroup(ReflectiveInvocationContext<Method> method) {
    return Arrays.asList(method.getExecutable().getParameterTypes()).contains(ProcessGroup.class);
  }

  private static void intercept(
      InvocationInterceptor.Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    if (!takesGroup(method)) {
      if (isAnnotated(method.getExecutable(), Ranks.class)) {
        invocation.skip();
        throw new ExtensionConfigurationException(
            "@Ranks: %s takes no ProcessGroup; add a parameter of that type, or make it a plain @Test"
                .formatted(method.getExecutable()));
      }
      // One of a class with @Ranks that needs no ranks.
      invocation.proceed();
      return;
    }
    invocation.skip();
    RankRun chosen = context.getStore(NAMESPACE).get(RankRun.class, RankRun.class);
    for (RankRun run : chosen == null ? runs(context) : List.of(chosen)) {
      run.execute(group -> call(method, group));
    }
  }

  private static void call(ReflectiveInvocationContext<Method> method, ProcessGroup group) {
    Class<?>[] types = method.getExecutable().getParameterTypes();
    Object[] arguments = method.getArguments().toArray();
    for (int i = 0; i < types.length; i++) {
      if (types[i] == ProcessGroup.class) {
        arguments[i] = group;
      }
    }
    ReflectionSupport.invokeMethod(
        method.getExecutable(), method.getTarget().orElse(null), arguments);
  }

  /** Returns a run for each size and config, of the nearest annotation: method's, then class's. */
  private static List<RankRun> runs(ExtensionContext context) {
    Ranks ranks = null;
    for (ExtensionContext at = context; ranks == null; at = at.getParent().orElseThrow()) {
      ranks = findAnnotation(at.getElement(), Ranks.class).orElse(null);
    }
    if (ranks.value().length == 0 || ranks.config().length == 0) {
      throw new ExtensionConfigurationException(
          ranks + " runs nothing; give at least one size and one config");
    }
    Duration limit = Units.parseDuration(ranks.timeout());
    if (limit.isZero()) {
      throw new ExtensionConfigurationException(
          "@Ranks: timeout=\"%s\" leaves no time to run; give more than zero (a long time such as 24h can be had, \"never\" cannot)"
              .formatted(ranks.timeout()));
    }
    List<RankRun> runs = new ArrayList<>();
    for (String config : ranks.config()) {
      for (int size : ranks.value()) {
        runs.add(new RankRun(size, config, limit));
      }
    }
    return runs;
  }
}
