import { gzipSync } from 'node:zlib';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import { textFiles } from '../../core/text/text-files.ts';
import { withoutModules } from '../../core/text/without-modules.ts';
import type { FlightRecord } from '../read-record.ts';
import type { TimelineData } from './timeline-data.ts';
import { type TimelineLimits, timelineOf } from './timeline-of-record.ts';

const files = textFiles(new URL('./', import.meta.url));

/** The tags in `page.html` that are replaced with the contents of files. */
const POLICY_TAG = '<meta http-equiv="content-security-policy" content="default-src \'none\'">';
const STYLE_TAG = '<link rel="stylesheet" href="page.css">';
const DATA_TAG = '<script type="application/gzip" id="data"></script>';
const SCRIPT_TAG = '<script type="module" src="main.js"></script>';

/** The scripts of the page. Each file follows the files from which it imports. */
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
 * A page with the timeline of a record: one HTML file that requests nothing from a server, as its content
 * security policy ensures. It needs a browser that was released in 2024 or later.
 *
 * The page contains strings of the record only as data, and the scripts show them as text. The page is as
 * confidential as the record, because it contains the record's data.
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
 * Compressed JSON in base64. It has a tenth of the size of the JSON, and a browser unpacks it faster than it
 * would parse the JSON as part of the page. Base64 contains no character sequence that could end the element
 * or begin a comment.
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
