import type { Log } from '../../operator/controller/reconciler.ts';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that writes lines into an array. */
export function recordingLog(): {
  readonly lines: LogLine[];
  readonly logFor: (facts: object) => Log;
} {
  const lines: LogLine[] = [];
  const logFor = (facts: object): Log => {
    const at =
      (level: string) =>
      (fields: object, message: string): void => {
        lines.push({ level, message, fields: { ...facts, ...fields } });
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  };
  return { lines, logFor };
}
