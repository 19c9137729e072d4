package dev.tutti.tcp.schedule;

/**
 * The blocks of an even gather or scatter in the order of the binomial tree's vertices, in which
 * every subtree's blocks lie together, and the cells by which they go up or down the tree.
 *
 * <p>All ranks cut at the same places: where scratch would be too short, and where the last rank's
 * block ends and the first one's begins, for there the root's vector is not in this order.
 * Positions are elements, counted from the root's block.
 *
 * @param tree this rank's place
 * @param block elements of a block
 * @param length most elements of a cell
 * @param isUncut whether scratch holds the blocks of any subtree below the root
 */
record TreeCells(BinomialTree tree, long block, long length, boolean isUncut) {

  /** Cells that one rank has in scratch at a time: one comes in while the other goes out. */
  private static final int SLOTS = 2;

  static TreeCells of(Request request) {
    BinomialTree tree = BinomialTree.of(request.rank(), request.root(), request.size());
    long block = request.blocks().largest();
    long scratch = request.scratchElements();
    boolean isUncut = Integer.highestOneBit(request.size() - 1) * block <= scratch;
    long length = isUncut ? Math.max(1, request.size() * block) : scratch / SLOTS;
    return new TreeCells(tree, block, length, isUncut);
  }

  /** Returns the number of cells. */
  int count() {
    return Math.addExact(firstRun(), new Chunks(length).in(total() - turn()));
  }

  /** Returns the position at which a vertex's part of a cell begins, its subtree's included. */
  long from(int cell, int vertex) {
    return Math.max(begin(cell), vertex * block);
  }

  /** Returns how many elements of a cell the vertices from {@code vertex} to {@code end} have. */
  long elements(int cell, int vertex, int end) {
    long cellEnd =
        cell < firstRun() ? Math.min(begin(cell) + length, turn()) : begin(cell) + length;
    return Math.max(0, Math.min(cellEnd, end * block) - from(cell, vertex));
  }

  /**
   * Returns where a position lies: at the root in the vector, elsewhere in scratch, while its cell
   * is there.
   */
  long place(int cell, long position) {
    if (tree.isRoot()) {
      return position < turn() ? position + tree.root() * block : position - turn();
    }
    return isUncut
        ? position - tree.vertex() * block
        : cell % SLOTS * length + position - begin(cell);
  }

  /** Returns where a position of this rank's own block lies in it. */
  long inBlock(long position) {
    return position - tree.vertex() * block;
  }

  /** Returns whether nobody is below this rank. */
  boolean isLeaf() {
    return tree.children() == 0;
  }

  private long begin(int cell) {
    int first = firstRun();
    return cell < first ? cell * length : turn() + (cell - first) * length;
  }

  /** Returns the number of cells up to the last rank's block. */
  private int firstRun() {
    return new Chunks(length).in(turn());
  }

  /** Returns the position at which rank 0's block begins, or the end where rank 0 is the root. */
  private long turn() {
    return (tree.size() - tree.root()) * block;
  }

  private long total() {
    return tree.size() * block;
  }
}
