import { gzipSync } from 'node:zlib';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import { textFiles } from '../../core/text/text-files.ts';
import { withoutModules } from '../../core/text/without-modules.ts';
import type { FlightRecord } from '../read-record.ts';
import type { TimelineData } from './timeline-data.ts';
import { type TimelineLimits, timelineOf } from './timeline-of-record.ts';

const files = textFiles(new URL('./', import.meta.url));

/** The tags in `page.html` that are replaced by the contents of files. */
const POLICY_TAG = '<meta http-equiv="content-security-policy" content="default-src \'none\'">';
const STYLE_TAG = '<link rel="stylesheet" href="page.css">';
const DATA_TAG = '<script type="application/gzip" id="data"></script>';
const SCRIPT_TAG = '<script type="module" src="main.js"></script>';

/** The scripts of the page: each file follows the files that it imports. */
const SCRIPTS = [
  'dom.js',
  'time.js',
  'diff.js',
  'texts.js',
  'model.js',
  'colours.js',
  'marks.js',
  'chart.js',
  'overview.js',
  'details.js',
  'table.js',
  'pointer.js',
  'keyboard.js',
  'main.js',
];

/**
 * A page with the timeline of a record: one file of HTML that requests nothing from a server; its content
 * security policy forbids such requests. It needs a browser of 2024 or later.
 *
 * Texts of the record are data in it, and the scripts show them as text. The page contains the data of the
 * record, so it is as confidential as the record.
 */
export function timelinePage(record: FlightRecord, limits?: TimelineLimits): string {
  const data = timelineOf(record, limits);
  const style = files('page/page.css');
  const script = withoutModules(SCRIPTS.map((name) => files(`page/${name}`)));
  return files('page/page.html')
    .replace(POLICY_TAG, () => policyTag(style, script))
    .replace(STYLE_TAG, () => `<style>${style}</style>`)
    .replace(DATA_TAG, () => DATA_TAG.replace('><', () => `>${dataText(data)}<`))
    .replace(SCRIPT_TAG, () => `<script type="module">${script}</script>`);
}

/**
 * JSON, compressed, in base64: a tenth of the size, and a browser unpacks it faster than it would parse the plain text as
 * a part of the page. Nothing in it can end the element or begin a comment.
 */
function dataText(data: TimelineData): string {
  return gzipSync(JSON.stringify(data)).toString('base64');
}

function policyTag(style: string, script: string): string {
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<meta http-equiv="content-security-policy" content="${policy}">`;
}

function hashOf(text: string): string {
  return `sha256-${nodeCrypto().createHash('sha256').update(text).digest('base64')}`;
}
