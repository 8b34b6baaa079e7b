/** The parts of a session that differ from run to run, and the texts that replace them in a picture. */

/** The templates of the two ReplicaSets of `npm start`: before the change, and after it. */
const TEMPLATES = ['5f6d7c467', '66fd76c856'];
const FIRST_PORT = 40_001;
const FIRST_PID = 4_201;

interface Mask {
  readonly of: RegExp;
  /** @param nth - the same for equal matches, counted from 0 in the order in which they come. */
  readonly by: (nth: number) => string;
}

const MASKS: readonly Mask[] = [
  // The seconds of `npm start`, and the clock of a log for people.
  { of: /^ *\d+\.\d s {2}|^\d\d:\d\d:\d\d\.\d{3} /g, by: () => '' },
  { of: /(?<=127\.0\.0\.1:)\d+/g, by: (nth) => String(FIRST_PORT + nth) },
  { of: /(?<=\(pid )\d+/g, by: (nth) => String(FIRST_PID + nth) },
  { of: /(?<=kubectl proxy )v\d\S*\w/g, by: () => 'v1.x.y' },
  { of: /(?<=resourceVersion=)\d+/g, by: () => '1' },
  { of: /(?<=webapp-)[a-z\d]+(?=-[a-z\d]{5}\b)/g, by: (nth) => TEMPLATES[nth] ?? 'unexpected' },
  { of: /(?<=webapp-[a-z\d]+-)[a-z\d]{5}\b/g, by: () => 'xxxxx' },
];

/** Lines about the machine, which a slow one has and a fast one has not. */
const ABOUT_THE_MACHINE = /event loop was blocked/;

/** The lines of a session with equal values for equal sessions. */
export function masked(lines: readonly string[]): readonly string[] {
  return MASKS.reduce<readonly string[]>(
    (all, { of, by }) => {
      const seen: string[] = [];
      return all.map((line) =>
        line.replaceAll(of, (value) => {
          if (!seen.includes(value)) seen.push(value);
          return by(seen.indexOf(value));
        }),
      );
    },
    lines.filter((line) => !ABOUT_THE_MACHINE.test(line)),
  );
}
