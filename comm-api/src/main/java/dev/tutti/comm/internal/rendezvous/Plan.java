package dev.tutti.comm.internal.rendezvous;

/**
 * What addresses and variables say about this process's job. Nothing was started yet.
 *
 * @param place this process's numbers
 * @param meeting where the ranks meet
 * @param job the job's name, the same on all ranks
 * @param how one line that says where all this was found
 */
record Plan(Place place, MeetingPoint meeting, String job, String how) {}
