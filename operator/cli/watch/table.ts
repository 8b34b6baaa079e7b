import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  namespace: {
    short: 'n',
    type: 'namespace',
    help: 'the namespace; see the environment for the default',
  },
  'all-namespaces': { short: 'A', help: 'all namespaces' },
  selector: {
    short: 'l',
    type: 'text',
    value: 'SELECTOR',
    help: 'label selector: a=b, a!=b, a in (b,c), a notin (b,c), a>1, a<1, a, !a',
  },
  'field-selector': {
    type: 'text',
    value: 'SELECTOR',
    help: 'field selector, such as status.phase=Running',
  },
  server: {
    type: 'text',
    value: 'URL',
    help: 'where kubectl proxy listens: http://HOST:PORT or unix:/PATH',
  },
  resync: {
    type: 'text',
    value: 'DURATION',
    help: 'how often all objects are listed and compared: 10m or more, such as 1h; 0 for never',
  },
  'watch-timeout': {
    type: 'text',
    value: 'MIN-MAX',
    help: 'seconds after which the server ends each watch, such as 30-60',
  },
  once: { help: 'print the objects that exist, and end with 0' },
  'sync-marker': { help: 'print a BOOKMARK line when the objects that exist are printed' },
} as const;

/** The command line of `chancery watch`. */
export const WATCH: CommandTable<typeof OPTIONS> = {
  name: 'watch',
  summary: 'print the objects of a resource and every change, as lines of JSON',
  usage: ['RESOURCE [NAME] [OPTION...]'],
  arguments: [{ name: 'RESOURCE' }, { name: 'NAME' }],
  options: OPTIONS,
  isLasting: true,
  description: `Prints the objects of a resource and then every change, one line of JSON each:

  {"type":"ADDED","object":{...}}      type is ADDED, MODIFIED or DELETED

It lists first, prints what there is as ADDED, and then watches for ever: across timeouts, restarts of
proxy and API server, expired resource versions, and a proxy or a resource that is not there yet.
No change is printed twice, and none of an object out of order. Of changes that happened while
nothing was connected it prints the difference. An object that was deleted and created again is
DELETED and ADDED.

The text of an object is let go when it is printed. A DELETED that the server tells of carries the
whole object. A DELETED that only a list has shown carries apiVersion, kind and metadata, without
managedFields.

RESOURCE is a plural, singular, short name or kind, with group and version where they matter (cm,
ConfigMap, deployments.apps, deployments.apps/v1), or a path (/api/v1/namespaces/demo/configmaps).
An unknown name ends with exit code 2; one whose group has a dot (websites.example.com) is waited for.

A name is looked up in /api and /apis, which the filter of a generated ambassador refuses. A path asks
for nothing but its own objects, and is waited for if it is not served yet: give a path behind such a
filter.`,
  environment: [
    'CHANCERY_API_URL',
    [
      'WATCH_NAMESPACE',
      'one namespace, or "*" for all; with several, name one by -n; default: POD_NAMESPACE, "default"',
    ],
    'res_namespace',
    'CHANCERY_EMPTY_WATCH_NAMESPACE',
    'POD_NAMESPACE',
    'CHANCERY_LOG_LEVEL',
    'CHANCERY_WATCH_TIMEOUT',
    'CHANCERY_RELIST_INTERVAL',
  ],
  notes: `An object is printed as it came: numbers have all their digits, however large they are. Control
characters, and those that turn the direction of text around, are printed as \\u009b and the
like: the same JSON, and harmless on a terminal.

Results go to standard output, the log goes to standard error as JSON. A change that cannot be
printed is named there, with the namespace and name of its object; all others are printed.

With --once it waits for the proxy and the API server, too. It does not wait for a right or for a
resource that the API server does not serve: it says so and ends with 1 or 2.`,
  exitCodes: {
    0: 'asked to stop by SIGTERM or SIGINT, or the reader of the output closed it',
    1: 'a change could not be printed, or the output cannot be written',
    2: 'the command line is wrong',
  },
  examples: `  # Every change of a ConfigMap, in a shell. The lines survive the echo of every shell; -r keeps read
  # from taking backslashes away.
  chancery watch configmaps -n demo | while read -r event; do
    echo "$event" | jq -r '[.type, .object.metadata.name] | @tsv'
  done

  # The Pods of one application in all namespaces
  chancery watch pods -A -l 'app=web,tier in (front,back)'

  # Behind the filter that chancery generate proxy makes
  chancery watch /api/v1/namespaces/demo/configmaps

  # One object
  chancery watch deployment web -n demo

  # What exists, without waiting for changes
  chancery watch cm --once | jq -r .object.metadata.name`,
};
