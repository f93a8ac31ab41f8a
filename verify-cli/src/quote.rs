//! `receipt quote`: judge a quote by its collateral, for those who have no receipt.

use std::borrow::Cow;

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use verify_core::dcap::verify_quote;

use crate::args::QuoteArgs;
use crate::exit;
use crate::inputs::Input;
use crate::json::Documents;
use crate::output::{Output, complain};
use crate::terms;
use crate::text;

pub(crate) fn run(arguments: &QuoteArgs, output: &mut Output) -> u8 {
    let settled = terms::anchors(&arguments.terms).and_then(|anchors| Ok((anchors, terms::instant(&arguments.terms)?)));
    let (quote, collateral) = (Input::named(&arguments.quote), Input::named(&arguments.collateral));
    let settled = match quote.is_standard_input() && collateral.is_standard_input() {
        true => Err("quote and collateral cannot both be read from standard input".to_owned()),
        false => settled,
    };
    let (anchors, instant) = match settled {
        Ok(settled) => settled,
        Err(message) => {
            complain(&format!("error: {message}"));
            return exit::USAGE;
        }
    };
    if !output.spares([&arguments.quote, &arguments.collateral].into_iter().chain(arguments.terms.files())) {
        return exit::USAGE;
    }
    let answer = collateral.ask(<[u8]>::to_vec).map_err(|failure| (&collateral, failure)).and_then(|evidence| {
        let report = quote.ask(|bytes| verify_quote(&decoded(bytes), &evidence, instant, &anchors));
        report.map(|report| report.named(quote.name(), collateral.name())).map_err(|failure| (&quote, failure))
    });
    let code = answer.as_ref().map_or_else(|(_, failure)| failure.exit_code, |report| report.exit_code);
    match (answer, Documents::new(arguments.format)) {
        _ if arguments.quiet => {}
        (Ok(report), None) => output.print(&text::quote(&report, arguments.verbose)),
        (Err((input, failure)), None) => output.print(&text::failure(input.name(), &failure)),
        (answer, Some(mut documents)) => {
            match answer {
                Ok(report) => documents.print(&report.to_json(), output),
                Err((input, failure)) => documents.print_failure(input.name(), &failure, output),
            }
            documents.finish(output);
        }
    }
    code
}

/// The bytes of a quote that may be written as hex of either case or as base64, in one line or several. A quote itself is
/// never such a text: its second byte is zero.
fn decoded(file: &[u8]) -> Cow<'_, [u8]> {
    let digits: Vec<u8> = file.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let decoded = HEXLOWER_PERMISSIVE.decode(&digits).or_else(|_| BASE64.decode(&digits));
    decoded.map_or(Cow::Borrowed(file), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_read_as_bytes_hex_or_base64() {
        let quote = [4, 0, 2, 0, 0x81, 0, 0, 0, b'\n', b' '];
        for form in ["040002008100 0000\n0a20", "\t040002008100\r\n00000A20\n", "BAACAIEAAAAKIA==", " BAACAIEA\nAAAKIA==\n"] {
            assert_eq!(&*decoded(form.as_bytes()), quote, "{form:?}");
        }
        assert_eq!(&*decoded(&quote), quote);
    }

    #[test]
    fn what_is_no_text_of_a_quote_stays_what_it_is() {
        for file in ["040", "BAAC\u{0}", "BAACAIEAAAAKIA", "not a quote!", "\u{4}\u{0}  "] {
            assert_eq!(&*decoded(file.as_bytes()), file.as_bytes(), "{file:?}");
        }
    }
}
