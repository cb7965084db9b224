import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * A sentence model of some kilobytes, in the files of real ones: a vector for each known word, and nothing else. Words of one sense
 * have nearly the same vector, so that synonyms are near to each other as with real models.
 */

/** Words of one line mean the same. */
const SENSES = [
  ['car', 'automobile', 'vehicle'],
  ['doctor', 'physician', 'medic'],
  ['happy', 'glad', 'cheerful'],
  ['house', 'home', 'dwelling'],
] as const;
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'] as const;
const WORDS = [...SPECIAL, ...SENSES.flat()];

export const TINY_DIMENSIONS = 8;
export const TINY_MODEL = 'tests/tiny-sentences';

function vectorOf(at: number): number[] {
  const vector = new Array<number>(TINY_DIMENSIONS).fill(0.05);
  const word = at - SPECIAL.length;
  if (word < 0) vector[TINY_DIMENSIONS - 1] = 0.1;
  else {
    const sense = SENSES.findIndex((words) => (words as readonly string[]).includes(WORDS[at]!));
    vector[sense] = 1;
    vector[4 + (word % 3)]! += 0.1;
  }
  return vector;
}

/** Numbers of protobuf, seven bits a byte. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
const whole = (field: number, value: number) => Buffer.concat([varint(field << 3), varint(value)]);
function bytes(field: number, value: string | Buffer | readonly Buffer[]): Buffer {
  const content =
    typeof value === 'string' ? Buffer.from(value) : Buffer.isBuffer(value) ? value : Buffer.concat(value);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

const FLOAT = 1;
const INT64 = 7;

/** A value that goes in or comes out. @param shape a text is a size that is known when the model runs */
function valueInfo(name: string, type: number, shape: readonly (string | number)[]): Buffer[] {
  const dimensions = shape.map((size) =>
    bytes(1, typeof size === 'string' ? bytes(2, size) : whole(1, size)),
  );
  return [bytes(1, name), bytes(2, bytes(1, [whole(1, type), bytes(2, dimensions)]))];
}

/** One node: the rows of the table that the ids name. */
function onnxModel(): Buffer {
  const table = Buffer.from(Float32Array.from(WORDS.flatMap((_, at) => vectorOf(at))).buffer);
  const ids = ['batch', 'sequence'];
  const graph = [
    bytes(1, [bytes(1, 'table'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(4, 'Gather')]),
    bytes(2, 'tiny'),
    bytes(5, [
      whole(1, WORDS.length),
      whole(1, TINY_DIMENSIONS),
      whole(2, FLOAT),
      bytes(8, 'table'),
      bytes(9, table),
    ]),
    bytes(11, valueInfo('input_ids', INT64, ids)),
    bytes(11, valueInfo('attention_mask', INT64, ids)),
    bytes(12, valueInfo('last_hidden_state', FLOAT, [...ids, TINY_DIMENSIONS])),
  ];
  return Buffer.concat([whole(1, 8), bytes(7, graph), bytes(8, [bytes(1, ''), whole(2, 14)])]);
}

const special = (id: number) => ({ id: WORDS[id], type_id: 0 });
const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: SPECIAL.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: special(2) },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: special(3) },
    ],
    pair: [],
    special_tokens: Object.fromEntries(
      ['[CLS]', '[SEP]'].map((id, at) => [id, { id, ids: [at + 2], tokens: [id] }]),
    ),
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};
const tokenizerConfig = {
  tokenizer_class: 'BertTokenizer',
  model_max_length: 64,
  pad_token: '[PAD]',
  unk_token: '[UNK]',
  cls_token: '[CLS]',
  sep_token: '[SEP]',
};

/** The files of the model, by their path below its folder. */
export const tinyModelFiles = (): Record<string, Buffer> => ({
  'config.json': Buffer.from(JSON.stringify({ model_type: 'bert', hidden_size: TINY_DIMENSIONS })),
  'tokenizer.json': Buffer.from(JSON.stringify(tokenizer)),
  'tokenizer_config.json': Buffer.from(JSON.stringify(tokenizerConfig)),
  'onnx/model_quantized.onnx': onnxModel(),
});

/** Puts the model into a folder of models. @returns the name of the model */
export async function writeTinyModel(folder: string): Promise<string> {
  for (const [name, content] of Object.entries(tinyModelFiles())) {
    const file = path.join(folder, TINY_MODEL, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return TINY_MODEL;
}
