/** Times and sizes for people. */

/** @param {number | undefined} seconds */
export function ago(seconds) {
  if (seconds === undefined) return 'never';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** @param {number | undefined} durationMs */
export function duration(durationMs) {
  if (durationMs === undefined) return '–';
  if (durationMs < 1000) return `${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1048576) return `${Math.ceil(bytes / 1024)} KiB`;
  return `${(bytes / 1048576).toFixed(1)} MiB`;
}

/** @param {string} iso */
export function timeOf(iso) {
  return iso.slice(11, 19);
}
