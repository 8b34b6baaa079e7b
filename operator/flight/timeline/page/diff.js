/**
 * @typedef {object} DiffLine
 * @property {'same' | 'added' | 'removed'} kind
 * @property {number} line
 */

/**
 * More different lines than this are shown as one block that replaces another: the time of the search grows with the
 * square of their number.
 */
const MAX_EDITS = 1000;

/**
 * A shortest way from one text to another, by Myers' algorithm.
 *
 * @param {readonly number[]} before - lines, as numbers that are equal when the lines are
 * @param {readonly number[]} after
 * @returns {readonly DiffLine[]}
 */
export function lineDiff(before, after) {
  let head = 0;
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [
    ...before.slice(0, head).map((line) => diffLine('same', line)),
    ...middleDiff(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map((line) => diffLine('same', line)),
  ];
}

/**
 * @param {DiffLine['kind']} kind
 * @param {number} line
 * @returns {DiffLine}
 */
function diffLine(kind, line) {
  return { kind, line };
}

/**
 * @param {readonly number[]} before
 * @param {readonly number[]} after
 * @returns {readonly DiffLine[]}
 */
function middleDiff(before, after) {
  const steps = editSteps(before, after);
  if (steps === undefined) {
    return [
      ...before.map((line) => diffLine('removed', line)),
      ...after.map((line) => diffLine('added', line)),
    ];
  }
  return pathBack(before, after, steps);
}

/**
 * For each number of edits, how far each diagonal `x - y` has come in `before`. Undefined when there are too many.
 *
 * @param {readonly number[]} before
 * @param {readonly number[]} after
 * @returns {readonly (readonly number[])[] | undefined}
 */
function editSteps(before, after) {
  const limit = Math.min(MAX_EDITS, before.length + after.length);
  /** @type {number[][]} */
  const steps = [];
  let reached = [0, 0, 0];
  for (let edits = 0; edits <= limit; edits++) {
    const next = new Array(2 * edits + 3).fill(0);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = edits === 0 ? 0 : firstX(reached, edits - 1, diagonal);
      while (
        x < before.length &&
        x - diagonal < after.length &&
        before[x] === after[x - diagonal]
      ) {
        x++;
      }
      next[diagonal + edits + 1] = x;
      if (x >= before.length && x - diagonal >= after.length) return [...steps, next];
    }
    steps.push(next);
    reached = next;
  }
  return undefined;
}

/**
 * Where a diagonal begins with one edit more: below or right of a neighbour.
 *
 * @param {readonly number[]} reached - with `edits` edits
 * @param {number} edits
 * @param {number} diagonal
 */
function firstX(reached, edits, diagonal) {
  const left = reached[diagonal - 1 + edits + 1] ?? 0;
  const right = reached[diagonal + 1 + edits + 1] ?? 0;
  return goesDown(left, right, edits, diagonal) ? right : left + 1;
}

/**
 * Whether the edit adds a line; otherwise it removes one.
 *
 * @param {number} left
 * @param {number} right
 * @param {number} edits
 * @param {number} diagonal
 */
function goesDown(left, right, edits, diagonal) {
  return diagonal === -(edits + 1) || (diagonal !== edits + 1 && left < right);
}

/**
 * @param {readonly number[]} before
 * @param {readonly number[]} after
 * @param {readonly (readonly number[])[]} steps
 * @returns {readonly DiffLine[]}
 */
function pathBack(before, after, steps) {
  /** @type {DiffLine[]} */
  const found = [];
  let [x, y] = [before.length, after.length];
  for (let edits = steps.length - 1; edits > 0; edits--) {
    const reached = steps[edits - 1] ?? [];
    const diagonal = x - y;
    const left = reached[diagonal - 1 + edits] ?? 0;
    const right = reached[diagonal + 1 + edits] ?? 0;
    const down = goesDown(left, right, edits - 1, diagonal);
    const begin = down ? right : left + 1;
    for (; x > begin; y--) found.push(diffLine('same', before[--x] ?? 0));
    if (down) found.push(diffLine('added', after[--y] ?? 0));
    else found.push(diffLine('removed', before[--x] ?? 0));
  }
  while (x > 0) found.push(diffLine('same', before[--x] ?? 0));
  return found.reverse();
}
