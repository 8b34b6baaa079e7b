/** What was asked for, what the hook did, and what became of it: the figures of the demonstration. */

/** A value that a run of the hook has written for a target. */
export interface Write {
  readonly target: string;
  readonly value: string;
}

/** One run of the hook, as the log of its runner tells it. */
export interface Run {
  readonly atMs: number;
  readonly writes: readonly Write[];
}

/** Something that was ended by force. */
export interface Kill {
  readonly what: string;
  readonly fromMs: number;
  /** After the first run that came after it. */
  readonly untilMs: number;
}

/** A run that wrote what an earlier run had written. */
export interface Repetition {
  readonly run: Run;
  readonly earlier: Run;
  /** The kill during which it ran; undefined when there is none. */
  readonly kill: Kill | undefined;
}

/** Each run that repeats a write of another run, once, with the kill that explains it. */
export function repetitions(runs: readonly Run[], kills: readonly Kill[]): readonly Repetition[] {
  const last = new Map<string, Run>();
  const found: Repetition[] = [];
  for (const run of runs.toSorted((a, b) => a.atMs - b.atMs)) {
    const earlier = run.writes.map((write) => last.get(keyOf(write)));
    const [latest] = earlier.filter((each) => each !== undefined).sort((a, b) => b.atMs - a.atMs);
    if (latest !== undefined) {
      const kill = kills.find(({ fromMs, untilMs }) => fromMs <= run.atMs && run.atMs <= untilMs);
      found.push({ run, earlier: latest, kill });
    }
    for (const write of run.writes) last.set(keyOf(write), run);
  }
  return found;
}

/** Changes of targets to a value that they had had before: an effect that came twice. */
export function doubled(effects: readonly Write[]): readonly Write[] {
  const seen = new Set<string>();
  return effects.filter((effect) => {
    const key = keyOf(effect);
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated;
  });
}

function keyOf({ target, value }: Write): string {
  return `${target} ${value}`;
}
