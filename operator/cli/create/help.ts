import type { Command } from '../command.ts';
import { table } from '../help.ts';

/** What `chancery create --help` prints. */
const CREATE_HELP: string = `Usage: chancery create api --group GROUP --version VERSION --kind KIND [OPTION...]
       chancery create hook NAME [--lang bash|node|python] [--kind KIND] [--api-version VERSION] [--dir DIR]

\`api\` adds a kind to the project in this folder: a controller with its schema (src/KIND.ts), a test
(src/KIND.test.ts) and a sample object (samples/KIND.yaml). The controller is imported by the module and
added to the list that the module exports. Nothing else of the module changes.

\`hook\` writes a hook that works into DIR: the script, the rights that its patches need, and a sample of what it is
told, in contexts/. It needs no project.

No file is overwritten. A kind that the project has already is refused, and nothing is written then.

Options:
${table([
  ['--kind KIND', 'api: one word in CamelCase, such as HttpRoute'],
  ['', 'hook: what it watches; default Pod'],
  ['--group GROUP', 'api: a domain of yours, such as example.com'],
  ['--version VERSION', 'api: v1, v1beta1, v2alpha1 or the like'],
  ['--plural PLURAL', 'api: where it is an exception, such as indices; default from the kind'],
  [
    '--owns A,B',
    'api: resources that it creates for each object, such as deployments.apps,services:',
  ],
  ['', 'configmaps, cronjobs.batch, daemonsets.apps, deployments.apps, jobs.batch, secrets,'],
  ['', 'serviceaccounts, services, statefulsets.apps; default none'],
  ['--namespaced', 'api: its objects are in namespaces: the default'],
  ['--cluster-scoped', 'api: its objects are in no namespace; then it can own nothing here'],
  ['--module PATH', 'api: the module that exports the controllers; default src/operator.ts'],
  ['--force', 'api: write the files that are missing, and keep the others as they are'],
  ['--lang bash|node|python', 'hook: default bash'],
  ['--api-version VERSION', 'hook: of KIND, such as example.com/v1; default that of Kubernetes'],
  ['--dir DIR', 'hook: the folder of the script; default hooks'],
])}

Exit codes:
${table([
  ['0', 'written'],
  ['1', 'the kind or one of its files exists, or the module cannot be changed safely'],
  ['2', 'the command line is wrong'],
])}

Examples:

  chancery create api --group example.com --version v1 --kind Cache --owns deployments.apps,services
  chancery create api --group example.com --version v1beta1 --kind Index --plural indices
  npm run generate
  chancery create hook watch-pods --lang python --kind Pod
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const CREATE_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'create',
  summary: 'add a kind, its controller and its test to a project, or write a hook',
  help: CREATE_HELP,
};
