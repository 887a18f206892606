import com.linkedin.urls.Url;
import com.linkedin.urls.detection.UrlDetector;
import com.linkedin.urls.detection.UrlDetectorOptions;

/** Finds addresses with each option, and normalizes them. */
public final class UrlDetect {
    public static void run(String input) throws Exception {
        for (UrlDetectorOptions option : UrlDetectorOptions.values()) {
            new UrlDetector(input, option).detect().forEach(Url::normalize);
        }
    }
}
