const rows = `
al: alabama; ak: alaska; az: arizona; ar: arkansas; ca: california; co: colorado; ct: connecticut;
dc: district of columbia; de: delaware; fl: florida; ga: georgia; hi: hawaii; ia: iowa; id: idaho; il: illinois;
in: indiana; ks: kansas; ky: kentucky; la: louisiana; ma: massachusetts; md: maryland; me: maine; mi: michigan;
mn: minnesota; mo: missouri; ms: mississippi; mt: montana; nc: north carolina; nd: north dakota; ne: nebraska;
nh: new hampshire; nj: new jersey; nm: new mexico; nv: nevada; ny: new york; oh: ohio; ok: oklahoma; or: oregon;
pa: pennsylvania; ri: rhode island; sc: south carolina; sd: south dakota; tn: tennessee; tx: texas; ut: utah;
va: virginia; vt: vermont; wa: washington; wi: wisconsin; wv: west virginia; wy: wyoming`;

/** The postal codes of the states of the USA and its capital, for which there is no table in `Intl`. */
export const usStates: Readonly<Record<string, string>> = Object.fromEntries(
  rows
    .trim()
    .split(/;\s/)
    .map((row) => row.split(": ")),
);
