/** The properties of a PDF: as document information, and as metadata for newer readers. */
import { dictionaryText, textString } from './pdf-file.ts';

export interface PdfProperties {
  title: string;
  author: string;
  subject: string;
  /** The program that made the document. */
  creator: string;
  /** BCP 47, such as "en". */
  language: string;
  /** Any text that differs when the input does; the file identifier is its hash. */
  fingerprint: string;
}

export function metadataStream(properties: PdfProperties, isTagged: boolean): string {
  const packet = Buffer.from(xmpPacket(properties, isTagged)).toString('latin1');
  return `<</Type /Metadata\n/Subtype /XML\n/Length ${packet.length}>> stream\n${packet}\nendstream`;
}

export function infoDictionary(properties: PdfProperties, producer: string): string {
  return dictionaryText(
    new Map([
      ['Title', textString(properties.title)],
      ['Author', textString(properties.author)],
      ['Subject', textString(properties.subject)],
      ['Creator', textString(properties.creator)],
      ['Producer', producer],
    ]),
  );
}

/** ISO 14289-1, 5. */
const identification = `<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<pdfuaid:part>1</pdfuaid:part>
</rdf:Description>`;

/** The document's properties as XMP (ISO 16684-1), for newer readers and archives. */
function xmpPacket(properties: PdfProperties, isTagged: boolean): string {
  const { title, author, subject, creator, language } = properties;
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${xmlText(title)}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>${xmlText(author)}</rdf:li></rdf:Seq></dc:creator>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">${xmlText(subject)}</rdf:li></rdf:Alt></dc:description>
<dc:language><rdf:Bag><rdf:li>${xmlText(language)}</rdf:li></rdf:Bag></dc:language>
<xmp:CreatorTool>${xmlText(creator)}</xmp:CreatorTool>
</rdf:Description>
${isTagged ? identification : ''}
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}

/** XML 1.0 forbids control characters, noncharacters and unpaired surrogates, even escaped. */
function xmlText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones XML forbids
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  );
}
