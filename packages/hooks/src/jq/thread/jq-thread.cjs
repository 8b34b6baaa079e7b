// Runs jq programs in a separate thread. For the messages see `ThreadRequest` and `ThreadAnswer` in
// jq-thread.ts.
'use strict';
const { parentPort, workerData } = require('node:worker_threads');

const { packagePath, maxMemoryBytes } = workerData;

/** Limit for the output of all inputs in one message. No Kubernetes object is so large. */
const MAX_OUTPUT_BYTES = 2 * 1024 * 1024;

// The limits of a thread do not include the memory of jq, so its growth is limited here.
let memory = 0;
let refused = false;
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function growWithin(pages) {
  const wanted = this.buffer.byteLength + pages * 65_536;
  if (wanted > maxMemoryBytes) {
    refused = true;
    throw new RangeError('the memory limit of jq');
  }
  const before = grow.call(this, pages);
  memory = wanted;
  return before;
};
// The package puts each byte of output into an array. A thread that exhausts its heap at once ends
// the whole process, so the array is limited.
const { push } = Array.prototype;
Array.prototype.push = function pushWithin(...items) {
  if (items.length !== 1) return push.apply(this, items);
  if (this.length >= MAX_OUTPUT_BYTES) {
    refused = true;
    throw new RangeError('the output limit of jq');
  }
  this[this.length] = items[0];
  return this.length;
};
// The package prints what a program writes with `debug` or `stderr`. That output may be part of a
// Secret, so it is dropped.
for (const name of ['log', 'warn', 'error']) console[name] = () => {};

// The definitions give the results of gojq. gojq keeps no order of keys, so functions that show an
// order show the sorted one. Splitting an empty string gives one part. The other functions are
// disabled, because they would read files, other inputs or the process, or end the thread.
const DEFINITIONS = `
def keys_unsorted: keys;
def to_entries: [keys[] as $k | {key: $k, value: .[$k]}];
def with_entries(f): to_entries | map(f) | from_entries;
def env: {};
def input: error("input is not available");
def inputs: error("input is not available");
def input_filename: null;
def debug: .;
def debug(f): .;
def stderr: .;
def halt: error("halt is not available");
def halt_error: error("halt_error is not available");
def halt_error($code): error("halt_error is not available");
def modulemeta: error("modulemeta is not available");
def get_search_list: [];
def leaf_paths: paths(scalars);
def _split($by): split($by);
def split($by): if . == "" and $by != "" then [""] else _split($by) end;
`;

let raw;
/** Programs that are known to compile. */
const compiled = new Set();

async function load() {
  raw ??= (await require(packagePath)).raw;
}

/** The message of jq that explains why `program` does not compile, or undefined. */
async function problemOf(program) {
  if (compiled.has(program)) return undefined;
  await load();
  try {
    raw('', `${DEFINITIONS}\n${program}\n`, ['-c']);
    raw('', wrapped(program), ['-c']);
    compiled.add(program);
    return undefined;
  } catch (error) {
    if (refused) return 'it needs too much memory'; // jq computes constants when it compiles
    const said = String(error.message)
      .split('\n')
      .find((line) => line.startsWith('jq: error: '));
    return (said ?? 'it cannot be compiled')
      .replace('jq: error: ', '')
      .replace(' (Unix shell quoting issues?)', '')
      .replace(/ at <top-level>, line \d+:?$/, '');
  }
}

/**
 * The program with an output of one line per input. The line breaks end comments in the program.
 */
function wrapped(program) {
  return `${DEFINITIONS} {} as $ENV | try {o: [\n${program}\n]} catch {e: (if type == "string" then . else "" end)}`;
}

function outcomesOf(program, inputs) {
  if (program === '.') return inputs.map((input) => ({ outputs: [sorted(parsed(input))] }));
  const given = inputs.map((input) => sorted(parsed(input)));
  const lines = raw(given.join('\n'), wrapped(program), ['-c']).trim().split('\n');
  if (lines.length !== inputs.length) throw new Error('jq ended early');
  return lines.map((line) => {
    const { o, e } = parsed(line);
    if (o === undefined) return { failure: 'error', message: withoutValues(e) };
    return { outputs: o.map(sorted) };
  });
}

/**
 * Matches an integer that a JavaScript number may not hold, or a number that may become infinite.
 */
const SPECIAL_NUMBER = /(?:^|[[:,])\s*-?(?:\d{16}|[\d.]*\d[eE])/;

function parsed(text) {
  if (!SPECIAL_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (/^-?\d+$/.test(source)) return JSON.rawJSON(source);
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
  });
}

/** JSON with sorted keys. Written by hand, because JavaScript puts keys that look like indices first. */
function sorted(value) {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  const keys = Object.keys(value).sort(compared);
  return `{${keys.map((key) => `${text(key)}:${sorted(value[key])}`).join(',')}}`;
}

/** jq refuses half of a surrogate pair, so it is replaced by a replacement character, as in Go. */
function text(value) {
  return JSON.stringify(value.toWellFormed());
}

function compared(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

const TYPE = '(null|boolean|number|string|array|object)';
/**
 * The forms of jq's own error messages. The groups are types and fixed words; the values between
 * them are dropped.
 */
const FORMS = [
  `^(Cannot index) ${TYPE} with `,
  `^(Cannot iterate over) ${TYPE}`,
  `^(Cannot check whether) ${TYPE} (has a) ${TYPE} (key)$`,
  `^${TYPE} \\(.*\\) (and) ${TYPE} \\(.*\\) (cannot be (?:added|subtracted|multiplied|divided|iterated over)|cannot have their containment checked)`,
  `^${TYPE} \\(.*\\) (cannot be (?:negated|sorted|grouped|matched|parsed as a number|csv-formatted|tsv-formatted)|can not be escaped for shell|is not a string|is not valid base64 data|is not valid in a csv row|has no keys|has no length|number required|only strings can be parsed)`,
  '^((?:inputs?|halt|halt_error|modulemeta) is not available)$',
].map((form) => new RegExp(form, 's'));

/**
 * The error message, built only from words in this list. A program may raise any text as its error,
 * including a text that looks like an error of jq and contains values of the object.
 */
function withoutValues(message) {
  for (const form of FORMS) {
    const words = form.exec(message)?.slice(1);
    if (words !== undefined) return words.join(' ');
  }
  return 'the program raised an error';
}

async function answerTo({ program, inputs }) {
  const problem = program === '.' ? undefined : await problemOf(program);
  if (problem !== undefined || inputs === undefined) return { problem, memory };
  if (program !== '.') await load();
  try {
    return { outcomes: outcomesOf(program, inputs), memory };
  } catch {
    return { broken: refused ? 'limit' : 'error' };
  }
}

parentPort.on('message', async (request) => {
  parentPort.postMessage(
    await answerTo(request).catch((error) => ({ absent: String(error?.code) })),
  );
});
