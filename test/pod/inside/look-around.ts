/** Run in a container, by its own user: prints what can be seen, written and asked from there, as JSON. */
import { accessSync, constants, type Dirent, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** Folders that a process may write in; what it may not read is not looked into. */
function writable(folder: string, depth: number): string[] {
  const own = may(folder, constants.W_OK) ? [folder] : [];
  if (depth === 0) return own;
  const below = foldersIn(folder).filter((path) => path !== '/proc');
  return [...own, ...below.flatMap((path) => writable(path, depth - 1))];
}

function foldersIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${folder === '/' ? '' : folder}/${entry.name}`);
}

/** None for a folder that this user may not read. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function may(path: string, what: number): boolean {
  try {
    accessSync(path, what);
    return true;
  } catch {
    return false;
  }
}

/** Files named as those that a Pod is given to act as its ServiceAccount, or to serve TLS, wherever they are. */
function credentials(): string[] {
  const folders = foldersIn('/').filter((path) => !['/proc', '/dev', '/sys'].includes(path));
  return folders.flatMap(credentialsBelow);
}

function credentialsBelow(folder: string): string[] {
  const own = entriesIn(folder)
    .filter(
      (entry) =>
        !entry.isDirectory() && /^(token|ca[.]crt|kubeconfig|tls[.](crt|key))$/.test(entry.name),
    )
    .map((entry) => `${folder}/${entry.name}`);
  return [...own, ...foldersIn(folder).flatMap(credentialsBelow)];
}

const commands = readdirSync('/proc')
  .filter((name) => /^[0-9]+$/.test(name))
  .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]);
process.stdout.write(
  JSON.stringify({
    user: [process.getuid?.(), process.getgid?.(), process.getgroups?.()],
    commands,
    writable: writable('/', 4),
    credentials: credentials(),
    environment: Object.keys(process.env).sort(),
  }),
);
