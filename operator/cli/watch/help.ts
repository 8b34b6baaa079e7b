import type { Command } from '../command.ts';
import { EXIT_WITH_PARENT, environmentHelp, table } from '../help.ts';

/** What `chancery watch --help` prints. */
const WATCH_HELP: string = `Usage: chancery watch RESOURCE [NAME] [OPTION...]

Prints the objects of a resource and then every change, one line of JSON each:

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
filter.

Options:
${table([
  ['-n, --namespace NAME', 'the namespace; see the environment for the default'],
  ['-A, --all-namespaces', 'all namespaces'],
  [
    '-l, --selector SELECTOR',
    'label selector: a=b, a!=b, a in (b,c), a notin (b,c), a>1, a<1, a, !a',
  ],
  ['--field-selector SELECTOR', 'field selector, such as status.phase=Running'],
  ['--server URL', 'where kubectl proxy listens: http://HOST:PORT or unix:/PATH'],
  [
    '--resync DURATION',
    'how often all objects are listed and compared: 10m or more, such as 1h; 0 for never',
  ],
  ['--watch-timeout MIN-MAX', 'seconds after which the server ends each watch, such as 30-60'],
  ['--once', 'print the objects that exist, and end with 0'],
  ['--sync-marker', 'print a BOOKMARK line when the objects that exist are printed'],
  EXIT_WITH_PARENT,
])}

${environmentHelp(
  [
    'CHANCERY_API_URL',
    'WATCH_NAMESPACE',
    'res_namespace',
    'CHANCERY_EMPTY_WATCH_NAMESPACE',
    'POD_NAMESPACE',
    'CHANCERY_LOG_LEVEL',
    'CHANCERY_WATCH_TIMEOUT',
    'CHANCERY_RELIST_INTERVAL',
  ],
  {
    WATCH_NAMESPACE:
      'one namespace, or "*" for all; with several, name one by -n; default: POD_NAMESPACE, "default"',
  },
)}

An object is printed as it came: numbers have all their digits, however large they are. Control
characters, and those that turn the direction of text around, are printed as \\u009b and the
like: the same JSON, and harmless on a terminal.

Results go to standard output, the log goes to standard error as JSON. A change that cannot be
printed is named there, with the namespace and name of its object; all others are printed.

With --once it waits for the proxy and the API server, too. It does not wait for a right or for a
resource that the API server does not serve: it says so and ends with 1 or 2.

It ends with exit code 0 on SIGTERM and SIGINT, and when the next line finds nobody to read it; with
1 when a change could not be printed, or when the output cannot be written; with 2 when the command
line is wrong.

Examples:

  # Every change of a ConfigMap, in a shell. The lines survive the echo of every shell; -r keeps read
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
  chancery watch cm --once | jq -r .object.metadata.name
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const WATCH_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'watch',
  summary: 'print the objects of a resource and every change, as lines of JSON',
  help: WATCH_HELP,
  isLasting: true,
};
