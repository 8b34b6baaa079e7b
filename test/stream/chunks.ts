/** `bytes` in pieces: one more than there are cuts, some of them empty. */
export function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end));
}
