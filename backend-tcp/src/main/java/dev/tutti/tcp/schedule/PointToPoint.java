package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.TRANSFER;

import java.util.List;

/**
 * The transfers of a batch, all at once: send, recv and sendRecv are batches of one or two.
 *
 * <p>Sends to one peer are matched with that peer's receives in the order in which each lists them;
 * an empty one is left out on both sides. The i-th send to this rank itself is copied to the i-th
 * receive from itself. No scratch.
 */
final class PointToPoint {
  private PointToPoint() {}

  static Schedule plan(Request request) {
    ScheduleBuilder steps =
        new ScheduleBuilder(
            Algorithm.POINT_TO_POINT, request.rank(), request.size(), Aliasing.NONE);
    List<Transfer> transfers = request.transfers();
    int lastSelfRecv = -1;
    for (int i = 0; i < transfers.size(); i++) {
      Transfer transfer = transfers.get(i);
      boolean sends = transfer.direction() == Transfer.Direction.SEND;
      if (transfer.peer() == request.rank()) {
        if (sends) {
          lastSelfRecv = nextSelfRecv(request, lastSelfRecv, i);
          steps.copy(TRANSFER + i, 0, TRANSFER + lastSelfRecv, 0, transfer.count());
        }
      } else if (sends) {
        steps.send(transfer.peer(), TRANSFER + i, 0, transfer.count());
      } else {
        steps.recv(transfer.peer(), TRANSFER + i, 0, transfer.count());
      }
    }
    int unmatched = findSelfRecv(request, lastSelfRecv);
    if (unmatched >= 0) {
      throw new IllegalArgumentException(
          where(request)
              + "transfer "
              + unmatched
              + " receives from the rank itself, but no send to itself matches it");
    }
    return steps.build();
  }

  private static int nextSelfRecv(Request request, int after, int send) {
    int recv = findSelfRecv(request, after);
    long sent = request.transfers().get(send).count();
    if (recv < 0) {
      throw new IllegalArgumentException(
          where(request)
              + "transfer "
              + send
              + " sends to the rank itself, but no receive from itself matches it");
    }
    long received = request.transfers().get(recv).count();
    if (received != sent) {
      throw new IllegalArgumentException(
          where(request)
              + "transfer "
              + send
              + " sends "
              + sent
              + " elements to the rank itself, but transfer "
              + recv
              + " receives "
              + received);
    }
    return recv;
  }

  private static int findSelfRecv(Request request, int after) {
    List<Transfer> transfers = request.transfers();
    for (int i = after + 1; i < transfers.size(); i++) {
      Transfer transfer = transfers.get(i);
      if (transfer.peer() == request.rank() && transfer.direction() == Transfer.Direction.RECV) {
        return i;
      }
    }
    return -1;
  }

  private static String where(Request request) {
    return "batch on rank " + request.rank() + "/" + request.size() + ": ";
  }
}
