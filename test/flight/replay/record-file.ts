import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { recordLineText } from '../../../operator/flight/parse-line.ts';
import type { FlightRecord } from '../../../operator/flight/read-record.ts';
import type { RecordLine } from '../../../operator/flight/record-line.ts';

/** The record as a file has it. */
export function recordText({ header, lines }: FlightRecord): string {
  const all: RecordLine[] = [header, ...lines, { kind: 'end', lines: lines.length + 1 }];
  return all.map((line) => `${recordLineText(line)}\n`).join('');
}

export function writeRecord(path: string, record: FlightRecord): string {
  writeFileSync(path, gzipSync(recordText(record)));
  return path;
}
