/**
 * The JUnit 5 extension for tests of distributed code without a cluster: {@link
 * dev.tutti.junit.Ranks} runs a test method once per rank, as one test.
 */
@NullMarked
package dev.tutti.junit;

import org.jspecify.annotations.NullMarked;
