import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  context: { type: 'path', value: 'FILE', help: 'the sample' },
  'record-rights': {
    help: 'add missing rights to HOOK.rights.yaml; with --functions, to FILE what a customize hook names',
  },
  'hook-timeout': {
    type: 'duration',
    help: 'limit of the run, such as 90s or 5m; default 60s, for functions 10s',
  },
  'hook-env': { type: 'variable', multiple: true, help: 'a variable that the hook also gets' },
  crd: {
    type: 'path',
    value: 'FILE',
    multiple: true,
    help: 'file or folder of CustomResourceDefinitions',
  },
  'patches-to': {
    type: 'path',
    value: 'FILE',
    help: 'only hooks: write the patches there, one JSON document a line; "-" for standard output',
  },
  'strict-patches': { help: 'only hooks: refuse fields that have no effect' },
  export: {
    type: 'text',
    value: 'NAME',
    help: 'only functions: that of the module; default: the name of the hook, such as sync, or else its default export',
  },
  url: { type: 'text', value: 'URL', help: 'only functions: call this webhook' },
  functions: {
    type: 'path',
    value: 'FILE',
    help: 'only functions: call the one that FILE of chancery metacontroller names',
  },
  kind: {
    type: 'text',
    value: 'KIND',
    help: 'kind of the controller in FILE; default: that of the sample',
  },
  name: {
    type: 'text',
    value: 'NAME',
    help: 'name of the controller in FILE; default: that of the sample',
  },
} as const;

/** The command line of `chancery test-hook`. */
export const TEST_HOOK: CommandTable<typeof OPTIONS> = {
  name: 'test-hook',
  summary: 'start one hook or function with a sample, and check what it leaves',
  usage: [
    'FILE --context SAMPLE [OPTION...]',
    '--url URL --context SAMPLE [OPTION...]',
    '--functions FILE --context SAMPLE [OPTION...]',
  ],
  arguments: [{ name: 'FILE', isPath: true }],
  options: OPTIONS,
  description: `Starts one hook as chancery hooks would, without a cluster, and tells what it left: its patches and metrics, each
checked, and the rights that it needs and its rights file does not have. Nothing is applied.

With a sample that is a request of Metacontroller's contract it calls the function as chancery metacontroller would,
and tells what the answer would do.

It needs the package @chancery/hooks beside chancery, or for functions @chancery/metacontroller: npm install PACKAGE

SAMPLE is a JSON or YAML file with the contexts, "-" for standard input: a list, one context, or one Kubernetes object,
which becomes the context of an Added event, or a review of the API server. Fields may be left out: the name of the binding if the hook has one that
fits, type, watchEvent, empty lists and snapshots. A missing filterResult is computed by the filter of the binding.

A request of Metacontroller's contract is one JSON object with controller, parent and so on, as a hook receives it.
FILE is then a program, which reads the request on standard input and writes its answer on standard output, or a
module (.ts, .mts, .js, .mjs, .cjs), whose function is called.`,
  notes: `The hook gets the variables of chancery hooks, and no credentials; a program that is a function gets the same without
CHANCERY_API_URL. What it writes appears on standard error, but for the answer of a function.`,
  exitCodes: {
    0: 'the hook succeeded, and everything that it left or answered would be applied',
    1: 'the hook failed, or something that it left or answered would be refused',
    2: 'the command line, the sample or the configuration of the hook is wrong',
  },
  examples: `  chancery test-hook hooks/copy.py --context copy.sample.json --record-rights
  chancery test-hook sync.ts --context request.json
  chancery test-hook --url http://127.0.0.1:8080/sync --context request.json`,
};
