/**
 * How the config string is read: its grammar, its units, its typed values, and the tables that
 * document its keys. What users see of it is {@link dev.tutti.comm.CommConfig}.
 */
@NullMarked
package dev.tutti.comm.internal.config;

import org.jspecify.annotations.NullMarked;
