import type {
  Ambiguity,
  ArchiveProblem,
  BadEncoding,
  IndexHint,
  LimitAndActual,
  UnsafePath,
} from '@pinfold/core';
import type { Finding, Text } from './text.ts';

/** A reason not to publish an archive: a rule of the core, or that it is too large to receive. */
export type PublishProblem =
  | ArchiveProblem
  | ({ readonly rule: 'archive_too_large' } & Pick<LimitAndActual, 'limit'> & Partial<LimitAndActual>);

const RULES: Readonly<Record<PublishProblem['rule'], Text>> = {
  not_a_zip: {
    en: 'This is not a ZIP file. Unpack another kind of archive and publish its files; put a document or a picture into a folder with an index.html that shows it.',
    ja: 'ZIP ファイルではありません。ほかの形式の圧縮ファイルは、展開して中身を公開してください。文書や画像は、それを表示する index.html と同じフォルダーに入れて公開してください。',
  },
  truncated: {
    en: 'The ZIP ends too early: it was not written, copied or sent completely. Make it again.',
    ja: 'ZIP が途中で切れています。保存、コピーまたは送信が最後まで終わっていません。作り直してください。',
  },
  encrypted: {
    en: 'Encrypted files cannot be published. Make the ZIP without a password.',
    ja: '暗号化されたファイルがあります。パスワードを付けずに ZIP を作ってください。',
  },
  symlink: {
    en: 'Symbolic links are not published. Put the files themselves in their place.',
    ja: 'シンボリックリンクは公開できません。実際のファイルに置き換えてください。',
  },
  special_file: {
    en: 'Only files and folders can be published. Leave everything else out.',
    ja: '公開できるのはファイルとフォルダーだけです。それ以外は除いてください。',
  },
  unsafe_path: {
    en: 'These names are not safe in a web address. Rename the files: no “..”, “:”, “\\” or control characters.',
    ja: 'Web アドレスに使えない名前です。「..」「:」「\\」や制御文字を含まない名前に変えてください。',
  },
  bad_encoding: {
    en: 'The ZIP contradicts itself about the encoding of these names. Rename the files and make it again.',
    ja: '名前の文字コードが食い違っています。ファイル名を変えて、ZIP を作り直してください。',
  },
  forbidden_name: {
    en: 'Version control, settings with secrets, packages, temporary files and logs do not belong in public. Leave them out. If pages need them, rename the folder, also where they refer to it.',
    ja: '公開すべきでないものが含まれています（バージョン管理、秘密の設定、パッケージ、一時ファイル、ログ）。除いてください。ページに必要な場合は、参照も含めてフォルダーの名前を変えてください。',
  },
  missing_index: {
    en: 'There is no index.html, the page that the link opens. Put one, in lower case, at the root or in the only folder there.',
    ja: 'index.html がありません。リンクを開いたときに表示されるページです。一番上か、そこにあるただ一つのフォルダーに、小文字の名前で置いてください。',
  },
  too_many_files: {
    en: 'There are {actual} files, and at most {limit} are allowed. Leave out what the site does not need.',
    ja: 'ファイルが多すぎます（{actual} 個、上限は {limit} 個）。不要なものを除いてください。',
  },
  file_too_large: {
    en: 'A file can have at most {limit}. Make larger ones smaller, or leave them out.',
    ja: '1 ファイルの上限は {limit} です。これより大きいファイルは小さくするか、除いてください。',
  },
  expanded_too_large: {
    en: 'All files together can have at most {limit} unpacked. Leave out what the site does not need.',
    ja: '展開後の合計サイズの上限は {limit} です。不要なものを除いてください。',
  },
  duplicate_path: {
    en: 'Two files cannot have the same name, or names that differ only in case. Rename or remove one.',
    ja: '同じ名前、または大文字と小文字だけが違う名前のファイルがあります。一方を変えてください。',
  },
  path_conflict: {
    en: 'A file and a folder cannot have the same name. Rename one of the two.',
    ja: '同じ名前のファイルとフォルダーがあります。どちらかの名前を変えてください。',
  },
  unsupported_compression: {
    en: 'This compression is not supported. Make the ZIP with “deflate”, the usual method.',
    ja: '対応していない圧縮方法です。一般的な deflate 形式で ZIP を作ってください。',
  },
  corrupt_data: {
    en: 'The data in the ZIP are damaged and do not match their headers. Make it again.',
    ja: 'ZIP の中でファイルが壊れています。作り直してください。',
  },
  header_mismatch: {
    en: 'The ZIP contradicts itself about its files. Make it again with another program.',
    ja: 'ZIP の中の情報が食い違っています。別のソフトで作り直してください。',
  },
  overlapping_entries: {
    en: 'Files in the ZIP overlap. Make it again with another program.',
    ja: 'ZIP の中でファイルが重なっています。別のソフトで作り直してください。',
  },
  ambiguous_structure: {
    en: 'The ZIP can be read in more than one way. Make it again with another program.',
    ja: 'ZIP の構造が一通りに読めません。別のソフトで作り直してください。',
  },
  forbidden_content: {
    en: 'The operator of this service took this very ZIP down. It cannot be published again.',
    ja: 'この ZIP は運営者によって公開を停止されたため、再び公開することはできません。',
  },
  archive_too_large: {
    en: 'The ZIP is too large: it can have at most {limit}. Leave out what the site does not need.',
    ja: 'ZIP が大きすぎます。上限は {limit} です。不要なものを除いてください。',
  },
};

type MissingIndexId = `missing_index_${IndexHint['kind'] | 'spelling_below'}`;
type SeenId = `seen_${'segment' | 'size' | 'other' | 'method'}`;

type CauseId = `unsafe_path_${UnsafePath}` | `bad_encoding_${BadEncoding}`;

export type ArchiveTextId = PublishProblem['rule'] | MissingIndexId | SeenId | CauseId;

const MISSING_INDEX: Readonly<Record<MissingIndexId, Text>> = {
  missing_index_empty: {
    en: 'There are no files to publish. Choose the folder that your site was built into.',
    ja: '公開するファイルがありません。ビルドしたサイトが入っているフォルダーを公開してください。',
  },
  missing_index_folder: {
    en: 'There is no index.html at the root, but the folder “{path}” has one. Publish that folder, or add a page at the root that leads to it.',
    ja: '一番上に index.html がありませんが、フォルダー「{path}」にはあります。そのフォルダーを公開するか、一番上に案内のページを加えてください。',
  },
  missing_index_folders: {
    en: 'There is no index.html at the root, but “{path}” and “{other}” have one each. Publish one of these folders, or add a page at the root that leads to them.',
    ja: '一番上に index.html がありませんが、「{path}」と「{other}」にはあります。どちらかのフォルダーを公開するか、一番上に案内のページを加えてください。',
  },
  missing_index_spelling: {
    en: 'There is no index.html, but “{path}”. Rename it to index.html, in lower case.',
    ja: 'index.html がありませんが、「{path}」があります。小文字の index.html に名前を変えてください。',
  },
  missing_index_spelling_below: {
    en: 'There is no index.html, but “{path}”. Rename it to index.html, in lower case, and publish the folder “{folder}”.',
    ja: 'index.html がありませんが、「{path}」があります。小文字の index.html に名前を変えて、フォルダー「{folder}」を公開してください。',
  },
  missing_index_page: {
    en: 'There is no index.html, but the page “{path}”. Rename it to index.html, or publish that page alone.',
    ja: 'index.html がありませんが、ページ「{path}」があります。index.html に名前を変えるか、そのページだけを公開してください。',
  },
  missing_index_pages: {
    en: 'There is no index.html, the page that the link opens, but pages such as “{path}” and “{other}”. Rename the one that is to open first to index.html.',
    ja: 'リンクを開いたときに表示される index.html がありませんが、「{path}」や「{other}」などのページがあります。最初に表示するページの名前を index.html に変えてください。',
  },
  missing_index_packed: {
    en: 'There is no index.html, but “{path}”, which is packed. Unpack it and publish its files; a ZIP can also be published alone.',
    ja: 'index.html がありませんが、圧縮ファイル「{path}」があります。展開して中身を公開してください。ZIP なら、それだけを公開することもできます。',
  },
  missing_index_document: {
    en: 'This is a document, and not a site. Save it as a web page (HTML), and publish that.',
    ja: 'サイトではなく、文書のファイルです。Web ページ（HTML）として保存し、それを公開してください。',
  },
};

const SEEN: Readonly<Record<SeenId, Text>> = {
  seen_segment: { en: '“{segment}”', ja: '「{segment}」' },
  seen_size: { en: '{actual}', ja: '{actual}' },
  seen_other: { en: 'the same as “{other}”', ja: '「{other}」と同じ' },
  seen_method: { en: 'method {method}', ja: '方式 {method}' },
};

const CAUSES: Readonly<Record<CauseId, Text>> = {
  unsafe_path_empty: { en: 'The name is empty.', ja: '名前が空です。' },
  unsafe_path_control_character: {
    en: 'The path contains a control character.',
    ja: 'パスに制御文字が含まれています。',
  },
  unsafe_path_backslash: { en: 'The path contains a backslash.', ja: 'パスに「\\」が含まれています。' },
  unsafe_path_colon: { en: 'The path contains a colon.', ja: 'パスに「:」が含まれています。' },
  unsafe_path_absolute: { en: 'The path is absolute.', ja: '絶対パスです。' },
  unsafe_path_segment: {
    en: 'A segment of the path is empty, “.” or “..”.',
    ja: 'パスの途中に、空の部分、「.」または「..」があります。',
  },
  unsafe_path_too_long: {
    en: 'The path has more than 1024 bytes.',
    ja: 'パスが 1024 バイトを超えています。',
  },
  bad_encoding_not_utf8: {
    en: 'The name is marked as UTF-8 but is not.',
    ja: 'UTF-8 と記録されていますが、UTF-8 ではありません。',
  },
  bad_encoding_field_unreadable: {
    en: 'The Unicode Path field cannot be read.',
    ja: 'Unicode Path フィールドを読み取れません。',
  },
  bad_encoding_field_crc_mismatch: {
    en: 'The Unicode Path field belongs to another name.',
    ja: 'Unicode Path フィールドが別の名前に付くものです。',
  },
  bad_encoding_field_not_utf8: {
    en: 'The Unicode Path field is not UTF-8.',
    ja: 'Unicode Path フィールドが UTF-8 ではありません。',
  },
  bad_encoding_field_name_differs: {
    en: 'The Unicode Path field holds another name.',
    ja: 'Unicode Path フィールドの名前が異なります。',
  },
};

export const ARCHIVE_TEXTS: Readonly<Record<ArchiveTextId, Text>> = {
  ...RULES,
  ...MISSING_INDEX,
  ...SEEN,
  ...CAUSES,
};

const AMBIGUOUS: Readonly<Record<Ambiguity, string>> = {
  bytes_before_directory: 'Bytes before the central directory belong to no entry.',
  bytes_before_entry: 'Bytes before the entry belong to no entry.',
  directory_ambiguous: 'The central directory can be read in two ways.',
  directory_misplaced: 'The central directory is not where the end record says.',
  directory_too_small: 'The end record counts more entries than the central directory has room for.',
  directory_unreadable: 'The central directory cannot be read to its end.',
  entry_counts: 'The ZIP counts its entries in two ways that differ.',
  entry_in_other_part: 'The entry is said to be in another part of a split ZIP.',
  entry_sizes: 'The sizes of the entries do not add up.',
  entry_zip64: 'The Zip64 field of the entry contradicts its header.',
  local_header_missing: 'There is no local header where the central directory says.',
  several_end_records: 'The ZIP has several end records.',
  several_parts: 'The ZIP is one part of several.',
  trailing_bytes:
    'Something follows the end of the ZIP. If bsdtar wrote it to standard output, give bsdtar a file name instead (-cf site.zip).',
  zip64_disagrees: 'The Zip64 end record and the end record disagree.',
  zip64_misplaced: 'The Zip64 end record is not where its locator says.',
};

/** Programs that update a ZIP in place may omit data descriptors. */
const UPDATED =
  '.NET Framework, PowerShell 5 (Compress-Archive -Update) and adm-zip before 0.6 write such ZIPs when they update one: pack it anew from its files.';

/** @param bytes writes a size in the door's own way. */
export function archiveFinding(
  problem: PublishProblem,
  bytes: (size: number) => string,
): Finding<ArchiveTextId> {
  return { texts: [problem.rule], values: {}, ...detailsOf(problem, bytes) };
}

function detailsOf(
  problem: PublishProblem,
  bytes: (size: number) => string,
): Partial<Finding<ArchiveTextId>> {
  switch (problem.rule) {
    case 'unsafe_path':
      return { cause: `unsafe_path_${problem.reason}` };
    case 'bad_encoding':
      return { cause: `bad_encoding_${problem.reason}` };
    case 'ambiguous_structure':
      return { reason: AMBIGUOUS[problem.reason] };
    case 'overlapping_entries':
      return problem.path === undefined ? { reason: 'An entry reaches into the central directory.' } : {};
    case 'header_mismatch': {
      const fields = problem.fields.join(', ').replaceAll('_', ' ');
      const updated = problem.fields.includes('missing_descriptor') ? ` ${UPDATED}` : '';
      return { reason: `An entry and the central directory disagree: ${fields}.${updated}` };
    }
    case 'forbidden_name':
      return { seen: 'seen_segment', values: { segment: problem.segment } };
    case 'duplicate_path':
      return problem.other === undefined ? {} : { seen: 'seen_other', values: { other: problem.other } };
    case 'unsupported_compression':
      return { seen: 'seen_method', values: { method: problem.method } };
    case 'too_many_files':
      return { values: { limit: problem.limit, actual: problem.actual } };
    case 'file_too_large':
    case 'expanded_too_large':
    case 'archive_too_large': {
      const { limit, actual } = problem;
      // The proof stops at the limit, so the actual size may be unknown.
      if (actual === undefined) return { values: { limit: bytes(limit) } };
      return { seen: 'seen_size', values: { limit: bytes(limit), actual: bytes(actual) } };
    }
    case 'missing_index': {
      const { hint } = problem;
      if (hint === undefined) return {};
      const isBelow = 'folder' in hint;
      return { texts: [`missing_index_${isBelow ? 'spelling_below' : hint.kind}`], values: { ...hint } };
    }
    default:
      return {};
  }
}
