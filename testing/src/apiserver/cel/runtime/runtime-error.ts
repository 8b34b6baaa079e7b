/** The server's message when a rule cannot be evaluated. */
export function runtimeErrorText(error: unknown, rule: string): string {
  if (isOverload(codeOf(error))) {
    return `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  }
  return `${runtimeErrorWords(error)} evaluating rule: ${rule}`;
}

/** CEL's message for an error, without the rule that caused it. */
export function runtimeErrorWords(error: unknown): string {
  const { summary, message } = error as { readonly summary?: string; readonly message?: string };
  return wordsOf(codeOf(error), summary ?? message ?? String(error));
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? '';
}

function isOverload(code: string): boolean {
  return code === 'no_such_overload' || code === 'no_matching_overload';
}

function wordsOf(code: string, text: string): string {
  switch (code) {
    case 'no_such_overload':
    case 'no_matching_overload':
      return 'no such overload';
    case 'no_such_key':
      return text.replace(/^No such key/, 'no such key');
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (-?\d+)/.exec(text)?.[1] ?? ''}`;
    case 'modulo_by_zero':
      return 'modulus by zero';
    case 'numeric_overflow':
      return 'integer overflow';
    default:
      return text === 'Optional value is not present' ? 'optional.none() dereference' : text;
  }
}
