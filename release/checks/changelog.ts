/** The section of a version in CHANGELOG.md: what the release says of itself. */

export interface ReleaseNotes {
  /** The text below the heading; empty when there is no section. */
  readonly text: string;
  readonly refusals: readonly string[];
}

const HEADING = /^## \[?(\d+\.\d+\.\d+[^\s\]]*)\]? - (.*)$/;

/** @returns the notes of `version`, and why they cannot be published. */
export function releaseNotes(changelog: string, version: string): ReleaseNotes {
  const lines = changelog.split('\n');
  const at = lines.findIndex((line) => HEADING.exec(line)?.[1] === version);
  if (at < 0) return { text: '', refusals: [`CHANGELOG.md: no section "## ${version} - DATE"`] };
  const after = lines.slice(at + 1);
  const end = after.findIndex((line) => line.startsWith('## '));
  const text = (end < 0 ? after : after.slice(0, end)).join('\n').trim();
  const date = HEADING.exec(lines[at] ?? '')?.[2]?.trim() ?? '';
  return {
    text,
    refusals: [
      ...(isDate(date) ? [] : [`CHANGELOG.md: ${version} is "${date}", and needs its date`]),
      ...(text === '' ? [`CHANGELOG.md: ${version} says nothing`] : []),
    ],
  };
}

/** A day of the calendar, as `2026-02-28`. */
function isDate(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text;
}
