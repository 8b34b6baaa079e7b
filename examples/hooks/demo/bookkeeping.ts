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
  /** When it worked again. */
  readonly untilMs: number;
}

/** A run that wrote what an earlier run had written. */
export interface Repetition {
  readonly run: Run;
  readonly earlier: Run;
  /** The kill between them; undefined when there is none. */
  readonly kill: Kill | undefined;
}

/** Each run that repeats a write of another run, once, with the kill that explains it. */
export function repetitions(runs: readonly Run[], kills: readonly Kill[]): readonly Repetition[] {
  const last = new Map<string, Run>();
  const found: Repetition[] = [];
  for (const run of runs.toSorted((a, b) => a.atMs - b.atMs)) {
    const earlier = run.writes.map((write) => last.get(keyOf(write)));
    // All of them must be explained: the latest is the hardest.
    const latest = earlier.filter((each) => each !== undefined).sort((a, b) => b.atMs - a.atMs)[0];
    if (latest !== undefined) {
      const kill = kills.find((each) => each.untilMs >= latest.atMs && each.fromMs <= run.atMs);
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
