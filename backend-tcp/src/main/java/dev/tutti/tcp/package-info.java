/**
 * The CPU backend: collectives as schedules of messages, carried out over one connection for each
 * pair of ranks.
 *
 * <p>An operation's way: {@link dev.tutti.tcp.TcpCommunicator} queues it, {@code Plans} asks {@code
 * schedule} for its steps, {@code Engine} carries them out over the {@code Link}s that {@code
 * Connections} keeps, and a {@code Transport} moves the bytes.
 */
@NullMarked
package dev.tutti.tcp;

import org.jspecify.annotations.NullMarked;
