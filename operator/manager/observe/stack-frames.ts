import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(import.meta.url);
const DIST = '/dist/';

/** The folder of the toolkit's own files, as its frames name it. The build moves this file within `dist/`. */
const TOOLKIT: string = HERE.endsWith('.ts')
  ? fileURLToPath(new URL('../../', import.meta.url))
  : HERE.slice(0, HERE.lastIndexOf(DIST) + DIST.length);

/**
 * The frames of a stack, those of the user's own code first. The frames of the toolkit and of Node follow
 * while `debugs`. Otherwise they are left out; for a bug, a line says so when nothing else is left.
 */
export function orderedFrames(
  stack: string,
  { debugs, isBug }: { readonly debugs: boolean; readonly isBug: boolean },
): readonly string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.filter((frame) => !isForeign(frame));
  const others = frames.filter(isForeign);
  if (debugs) return [...own, ...others];
  if (own.length > 0 || others.length === 0 || !isBug) return own;
  return [
    `    (${others.length} frames of chancery and Node: CHANCERY_LOG_LEVEL=debug shows them)`,
  ];
}

/** True for a frame in which the author of an operator can change nothing. */
function isForeign(frame: string): boolean {
  return (
    /[( ]node:/.test(frame) ||
    frame.includes('(<anonymous>)') ||
    frame.includes(TOOLKIT) ||
    /[/\\]node_modules[/\\](?:chancery|undici|@chancery[/\\]testing)[/\\]/.test(frame)
  );
}
