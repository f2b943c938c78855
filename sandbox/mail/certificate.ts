import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

/* A self-signed certificate for this machine, written as DER: Node makes keys and signatures, but no certificates. */

const tagged = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const length = content.length;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
};
const sequence = (...parts: Uint8Array[]): Buffer => tagged(0x30, ...parts);
const set = (...parts: Uint8Array[]): Buffer => tagged(0x31, ...parts);
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
const octets = (content: Uint8Array): Buffer => tagged(0x04, content);
const bits = (content: Uint8Array): Buffer => tagged(0x03, Buffer.from([0]), content);
const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value));
const time = (date: Date): Buffer =>
  tagged(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = oid('550403');
const alternativeNames = oid('551d11');
const basicConstraints = oid('551d13');
const yes = tagged(0x01, Buffer.from([0xff]));

const day = 86_400_000;

/** Key and certificate in PEM for localhost, 127.0.0.1 and ::1; trusted by whoever is given the certificate. */
export const selfSigned = (): { key: string; cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(commonName, text('Switchboard sandbox'))));
  const names = sequence(
    tagged(0x82, Buffer.from('localhost')),
    tagged(0x87, Buffer.from([127, 0, 0, 1])),
    tagged(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  );
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  const now = Date.now();
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(now - day)), time(new Date(now + 365 * day))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(sequence(alternativeNames, octets(names)), sequence(basicConstraints, yes, octets(sequence(yes)))),
    ),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const der = sequence(body, ecdsaWithSha256, bits(signature));
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
};
